from decimal import Decimal

from vat import gross, tax


def test_standard_rate():
    assert tax(Decimal("10.00")) == Decimal("1.90")


def test_half_a_cent_is_rounded_up():
    assert tax(Decimal("0.50"), "books") == Decimal("0.03")
    assert tax(Decimal("2.50"), "books") == Decimal("0.13")


def test_gross():
    assert gross(Decimal("2.50"), "books") == Decimal("2.63")
