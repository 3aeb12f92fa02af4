"""A small shop: what the tests beside it are about."""
import json
import os
import pathlib
import random
import urllib.request

BASKET = []
COLOURS = {"amber", "coral", "jade"}


def total(prices, discount=0):
    """The discount is in percent, and somebody has just 'simplified' this line."""
    return sum(prices) - discount


def add(article):
    BASKET.append(article)
    return len(BASKET)


def first_colour():
    return next(iter(COLOURS))


def voucher():
    return f"V{random.randrange(1000):03d}"


def rates(url="http://rates.shop.invalid/eur.json"):
    with urllib.request.urlopen(url, timeout=5) as reply:
        return json.load(reply)


def licence():
    return (pathlib.Path(os.path.expanduser("~")) / ".shop" / "licence.key").read_text()
