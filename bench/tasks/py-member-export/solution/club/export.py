"""Exports for the treasurer."""

import csv
import io

HEADER = ["name", "email", "fee", "joined"]


def to_csv(members):
    """Return the members as CSV with a header, ordered by name."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for member in sorted(members, key=lambda member: member.name.casefold()):
        writer.writerow(member.as_row())
    return out.getvalue()


def total_fees(members):
    """Return the sum of all fees in cents."""
    return sum(member.fee_cents for member in members)
