"""Value added tax."""

from decimal import Decimal

CENT = Decimal("0.01")
RATES = {
    "standard": Decimal("0.19"),
    "reduced": Decimal("0.07"),
    "books": Decimal("0.05"),
    "none": Decimal("0"),
}


def round_cents(amount):
    """Round to whole cents; half a cent is rounded away from zero."""
    return round(amount, 2)


def tax(net, rate="standard"):
    """Return the tax on a net amount."""
    if rate not in RATES:
        raise KeyError(f"unknown tax rate {rate!r}")
    return round_cents(net * RATES[rate])


def gross(net, rate="standard"):
    """Return the net amount with its tax."""
    return net + tax(net, rate)
