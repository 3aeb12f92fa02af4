from decimal import Decimal

import money


def test_whole_amounts():
    assert money.rounded("3") == Decimal("3.00")


def test_cents():
    assert money.rounded("3.141") == Decimal("3.14")


def test_commercial_rounding():
    money.use_commercial_rounding()  # and never sets it back
    assert money.rounded("2.675") == Decimal("2.68")


def test_negative_amounts():
    assert money.rounded("-1.5") == Decimal("-1.50")


def test_half_cents_go_to_the_even_one():
    assert money.rounded("0.125") == Decimal("0.12")
