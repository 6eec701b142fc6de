from datetime import date

import pytest
from library.desk import Desk
from library.models import Loan, NotLent, NotRenewable

TODAY = date(2024, 3, 20)


@pytest.fixture
def desk():
    desk = Desk()
    desk.lend("ada", "Dune", date(2024, 3, 1))
    desk.lend("bob", "Emma", date(2024, 3, 1))
    return desk


def refused(desk, today=TODAY):
    before = [(loan.due, loan.renewals) for loan in desk.loans]
    with pytest.raises(NotRenewable):
        desk.renew("ada", "Dune", today)
    assert [(loan.due, loan.renewals) for loan in desk.loans] == before


def test_new_loans_were_never_renewed(desk):
    assert [loan.renewals for loan in desk.loans] == [0, 0]
    assert Loan("x", "y", TODAY).renewals == 0


def test_two_renewals(desk):
    desk.renew("ada", "Dune", TODAY)
    assert desk.renew("ada", "Dune", TODAY) == date(2024, 4, 26)
    assert [loan.renewals for loan in desk.loans] == [2, 0]
    assert desk.loans[1].due == date(2024, 3, 29)
    refused(desk)


def test_reserved(desk):
    desk.reserve("Dune")
    refused(desk)
    assert desk.renew("bob", "Emma", TODAY) == date(2024, 4, 12)


def test_overdue(desk):
    refused(desk, date(2024, 3, 30))


def test_on_the_day_it_is_due(desk):
    assert desk.renew("ada", "Dune", date(2024, 3, 29)) == date(2024, 4, 12)


def test_not_lent(desk):
    with pytest.raises(NotLent):
        desk.renew("ada", "Emma", TODAY)
    desk.reserve("Emma")
    with pytest.raises(NotLent):
        desk.renew("ada", "Emma", TODAY)


def test_lent_again_it_counts_from_zero(desk):
    desk.renew("ada", "Dune", TODAY)
    desk.give_back("ada", "Dune")
    desk.lend("ada", "Dune", TODAY)
    assert [loan.renewals for loan in desk.loans] == [0, 0]
