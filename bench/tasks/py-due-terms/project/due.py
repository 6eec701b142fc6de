"""When an invoice has to be paid."""

import re
from datetime import date, timedelta

NET = re.compile(r"net(\d+)")


class UnknownTerms(ValueError):
    """The payment terms are none that we know."""


def due_date(issued, terms):
    """Return the day on which an invoice is due.

    `issued` is the date of the invoice. Terms are "net30": that many days
    after the invoice. Raises UnknownTerms for anything else.
    """
    match = NET.fullmatch(terms)
    if match:
        return issued + timedelta(days=int(match[1]))
    raise UnknownTerms(terms)


def is_overdue(issued, terms, today):
    """Whether the invoice should have been paid before today."""
    return due_date(issued, terms) < today
