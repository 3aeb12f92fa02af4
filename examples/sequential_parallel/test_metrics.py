from metrics import collect


def test_one_reading():
    assert collect() == 28125
