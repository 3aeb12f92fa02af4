import uuid

from reports import render


def test_report_names_its_customer():
    customer = uuid.uuid4().hex
    assert render(customer) == f"report for {customer}"
