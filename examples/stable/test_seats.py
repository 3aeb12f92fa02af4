from seats import seats


def test_seats_in_reading_order():
    assert seats(2, 3) == ["1A", "1B", "1C", "2A", "2B", "2C"]
