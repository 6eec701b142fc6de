"""The desk where books are lent and given back."""

from datetime import timedelta

from library.models import Loan, NotLent, NotRenewable

LOAN_TIME = timedelta(days=28)
RENEWAL_TIME = timedelta(days=14)
MOST_RENEWALS = 2


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

    def renew(self, member, title, today):
        """Make a loan longer and return the day on which the book is due now.

        Raises NotLent if the member does not have it, NotRenewable if it was
        renewed twice, if somebody waits for it or if it is overdue.
        """
        loan = self._find(member, title)
        if loan.renewals >= MOST_RENEWALS or title in self.reserved or loan.is_overdue(today):
            raise NotRenewable(title)
        loan.due += RENEWAL_TIME
        loan.renewals += 1
        return loan.due

    def reserve(self, title):
        """Note that somebody waits for a title."""
        self.reserved.add(title)

    def overdue(self, today):
        return [loan for loan in self.loans if loan.is_overdue(today)]
