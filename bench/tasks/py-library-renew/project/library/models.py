"""What the library keeps about books that are out."""

from dataclasses import dataclass
from datetime import date


class NotLent(LookupError):
    """The member does not have that book."""


class NotRenewable(Exception):
    """The loan cannot be made longer."""


@dataclass
class Loan:
    member: str
    title: str
    due: date

    def is_overdue(self, today):
        """A book is overdue from the day after it is due."""
        return today > self.due
