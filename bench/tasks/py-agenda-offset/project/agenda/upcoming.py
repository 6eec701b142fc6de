"""The next meetings."""

from agenda.times import format_time, parse_time


def upcoming(meetings, now, limit=5):
    """Return the next meetings that have not begun, the earliest one first.

    Meetings are dicts with "title" and "start"; `now` is a text like "start".
    """
    current = parse_time(now)
    started = [(parse_time(meeting["start"]), meeting["title"]) for meeting in meetings]
    return sorted((start, title) for start, title in started if start > current)[:limit]


def agenda(meetings, now):
    """Return the lines of the agenda, in UTC."""
    return [f"{format_time(start)} {title}" for start, title in upcoming(meetings, now)]
