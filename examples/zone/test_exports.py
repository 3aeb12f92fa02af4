from exports import read_export

EXPORT = """number,sold
A-1,2023-11-14 22:13:20
A-2,2023-11-15 08:00:00
"""


def test_times_are_seconds_since_the_epoch():
    assert read_export(EXPORT)["A-1"] == 1700000000
