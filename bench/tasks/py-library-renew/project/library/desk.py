"""The desk where books are lent and given back."""

from datetime import timedelta

from library.models import Loan, NotLent

LOAN_TIME = timedelta(days=28)


class Desk:
    def __init__(self):
        self.loans = []
        self.reserved = set()

    def _find(self, member, title):
        for loan in self.loans:
            if (loan.member, loan.title) == (member, title):
                return loan
        raise NotLent(f"{member} does not have {title!r}")

    def lend(self, member, title, today):
        """Lend a book for four weeks and return the day on which it is due."""
        loan = Loan(member, title, today + LOAN_TIME)
        self.loans.append(loan)
        return loan.due

    def give_back(self, member, title):
        """Take a book back. Raises NotLent if the member does not have it."""
        self.loans.remove(self._find(member, title))

    def reserve(self, title):
        """Note that somebody waits for a title."""
        self.reserved.add(title)

    def overdue(self, today):
        return [loan for loan in self.loans if loan.is_overdue(today)]
