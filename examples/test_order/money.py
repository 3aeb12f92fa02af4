"""Amounts with a currency. The rounding is set once for the whole process."""
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

ROUNDING = {"mode": ROUND_HALF_EVEN}


def use_commercial_rounding():
    ROUNDING["mode"] = ROUND_HALF_UP


def rounded(amount):
    return Decimal(amount).quantize(Decimal("0.01"), rounding=ROUNDING["mode"])
