"""Each of these fails, and each for another reason: see verdicts.json for what triage says of it."""
import shop


def test_a_discount_is_in_percent():
    assert shop.total([100, 50], discount=10) == 135  # the product is wrong


def test_an_order_is_confirmed():
    assert confirmation(shop.total([20])) == "20 EUR"  # the test is: nobody defined it


def test_the_basket_counts():
    assert shop.add("scarf") == 1
    shop.BASKET.append("a gift")
    assert shop.BASKET == ["scarf"]  # fails, and leaves two things behind


def test_the_basket_is_empty_at_first():
    assert shop.BASKET == []  # after the test above it is not


def test_amber_comes_first():
    assert shop.first_colour() == "amber"  # a set has no order


def test_a_voucher_is_low():
    assert shop.voucher() < "V050"  # one in twenty is


def test_rates_are_there():
    assert shop.rates()["USD"] > 0  # no such host


def test_the_shop_is_licensed():
    assert shop.licence()  # a file that this machine does not have
