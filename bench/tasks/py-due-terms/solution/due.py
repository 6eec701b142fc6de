"""When an invoice has to be paid."""

import re
from datetime import date, timedelta

NET = re.compile(r"net(\d+)")
END_OF_MONTH = re.compile(r"eom(?:\+(\d+))?")


class UnknownTerms(ValueError):
    """The payment terms are none that we know."""


def due_date(issued, terms):
    """Return the day on which an invoice is due.

    `issued` is the date of the invoice. Terms are "net30": that many days
    after the invoice; "eom": the last day of its month; "eom+10": that many
    days after that. Raises UnknownTerms for anything else.
    """
    match = NET.fullmatch(terms)
    if match:
        return issued + timedelta(days=int(match[1]))
    match = END_OF_MONTH.fullmatch(terms)
    if match:
        next_month = (issued.replace(day=1) + timedelta(days=31)).replace(day=1)
        return next_month + timedelta(days=int(match[1] or 0) - 1)
    raise UnknownTerms(terms)


def is_overdue(issued, terms, today):
    """Whether the invoice should have been paid before today."""
    return due_date(issued, terms) < today
