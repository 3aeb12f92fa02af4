def age_on(day, born):
    """Whole years between two dates."""
    before_birthday = (day.month, day.day) < (born.month, born.day)
    return day.year - born.year - before_birthday


def may_sign(day, born):
    return age_on(day, born) >= 18
