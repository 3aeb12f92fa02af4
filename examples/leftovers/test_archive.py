from archive import store


def test_reports_are_numbered_from_one():
    assert store("first") == "report-1.txt"
    assert store("second") == "report-2.txt"
