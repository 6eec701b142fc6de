"""Summaries of a log for the daily mail."""

from collections import Counter

from logtool.parse import parse_log


def count_by_level(text):
    """Return how often each level occurs."""
    return dict(Counter(record.level for record in parse_log(text)))


def error_messages(text):
    """Return the messages of all errors, each one once, in order of appearance."""
    messages = []
    for record in parse_log(text):
        if record.level == "ERROR" and record.message not in messages:
            messages.append(record.message)
    return messages
