import datetime

from ages import may_sign


def test_may_sign_on_the_eighteenth_birthday():
    today = datetime.date.today()
    born = today.replace(year=today.year - 18)
    assert may_sign(today, born)


def test_may_not_sign_the_day_before():
    assert not may_sign(datetime.date(2024, 5, 3), datetime.date(2006, 5, 4))
