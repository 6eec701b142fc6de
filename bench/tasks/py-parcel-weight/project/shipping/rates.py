"""Postage. Weights are in kilograms, money is in whole cents."""

from shipping.parcel import parcel_weight

# (heaviest weight, price); a parcel of exactly that weight still belongs to it.
RATES = [(1, 399), (2, 499), (5, 699), (10, 999), (30, 1899)]


class TooHeavy(ValueError):
    """No carrier takes the parcel."""


def rate_for(weight):
    """Return the price of a parcel that weighs so many kilograms."""
    for limit, price in RATES:
        if weight <= limit:
            return price
    raise TooHeavy(f"{weight} kg")


def postage(articles):
    """Return what it costs to send the articles in one parcel."""
    if not articles:
        return 0
    return rate_for(parcel_weight(articles))
