"""Money in whole cents."""


def percent(cents, rate):
    """Return `rate` percent of an amount, half a cent rounded up."""
    return (cents * rate + 50) // 100


def format_cents(cents):
    """Write an amount with two decimals: 1205 becomes "12.05"."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"{sign}{euros}.{rest}"
