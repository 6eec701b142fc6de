"""Points in time, as the calendars of our offices send them."""

from datetime import datetime, timezone


def parse_time(text):
    """Return the time that an ISO 8601 text stands for, in UTC.

    "2024-03-10T09:00+01:00" is 08:00 in UTC. A text without an offset is in
    UTC already. Raises ValueError for anything else.
    """
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


def format_time(time):
    """Write a time as the agenda shows it."""
    return time.strftime("%d.%m. %H:%M")
