"""Fees of the car park. All money is in whole cents."""

FREE_MINUTES = 15
PER_HOUR = 200
PER_DAY = 1500


def parked_minutes(entered, left):
    """Return the whole minutes between two times; a begun minute does not count."""
    if left < entered:
        raise ValueError("left before it entered")
    return (left - entered).seconds // 60


def fee(entered, left):
    """Return what a stay costs.

    The first 15 minutes are free. After that every begun hour is charged, from
    the moment of entering, and no 24 hours cost more than the price of a day.
    """
    minutes = parked_minutes(entered, left)
    if minutes <= FREE_MINUTES:
        return 0
    days, rest = divmod(minutes, 24 * 60)
    hours = -(-rest // 60)
    return days * PER_DAY + min(hours * PER_HOUR, PER_DAY)
