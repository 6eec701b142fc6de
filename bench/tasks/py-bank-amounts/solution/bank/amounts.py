"""Amounts of money as the bank writes them. All our money is in whole cents."""

import re

_AMOUNT = re.compile(r"[+-]?\d{1,3}(\.?\d{3})*,\d{2}")


def parse_amount(text):
    """Return the cents of an amount such as "1.234,56" or "-3,20".

    Raises ValueError if the text is not an amount.
    """
    text = text.strip()
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"not an amount: {text!r}")
    return int(text.replace(".", "").replace(",", ""))


def format_amount(cents):
    """Write cents the way the bank does."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"{sign}{euros:,}".replace(",", ".") + f",{rest:02}"
