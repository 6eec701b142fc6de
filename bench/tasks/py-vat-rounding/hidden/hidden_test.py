from decimal import Decimal

import pytest
from vat import gross, round_cents, tax


@pytest.mark.parametrize(
    "amount, rounded",
    [
        ("0.005", "0.01"),
        ("0.015", "0.02"),
        ("0.025", "0.03"),
        ("0.0249", "0.02"),
        ("1.0051", "1.01"),
        ("-0.025", "-0.03"),
        ("-0.045", "-0.05"),
        ("7", "7.00"),
    ],
)
def test_rounding(amount, rounded):
    result = round_cents(Decimal(amount))
    assert result == Decimal(rounded)
    assert isinstance(result, Decimal)


def test_credit_note():
    assert tax(Decimal("-2.50"), "books") == Decimal("-0.13")


def test_other_rates_are_as_before():
    assert gross(Decimal("100"), "reduced") == Decimal("107.00")
    assert tax(Decimal("5"), "none") == 0
    with pytest.raises(KeyError):
        tax(Decimal("1"), "luxury")
