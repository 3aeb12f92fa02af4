from archive import split_by_customer


def test_every_customer_has_a_file(tmp_path):
    orders = [(f"customer-{n % 300}", f"order {n}") for n in range(600)]
    assert split_by_customer(orders, tmp_path) == 300
