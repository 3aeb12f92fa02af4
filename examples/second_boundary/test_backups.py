import time

from backups import new_name


def test_name_carries_the_time():
    name = new_name(b"rows" * 1000)
    assert name.startswith(time.strftime("backup-%Y%m%d-%H%M%S-"))
