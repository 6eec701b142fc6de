from datetime import date

import pytest
from library.desk import Desk
from library.models import NotLent, NotRenewable


@pytest.fixture
def desk():
    desk = Desk()
    desk.lend("ada", "Dune", date(2024, 3, 1))
    return desk


def test_lend(desk):
    assert desk.loans[0].due == date(2024, 3, 29)
    assert desk.overdue(date(2024, 3, 29)) == []
    assert desk.overdue(date(2024, 3, 30)) == desk.loans


def test_give_back(desk):
    desk.give_back("ada", "Dune")
    with pytest.raises(NotLent):
        desk.give_back("ada", "Dune")


def test_renew(desk):
    assert desk.renew("ada", "Dune", date(2024, 3, 20)) == date(2024, 4, 12)
    assert desk.loans[0].due == date(2024, 4, 12)
    assert desk.loans[0].renewals == 1


def test_third_renewal(desk):
    desk.renew("ada", "Dune", date(2024, 3, 20))
    desk.renew("ada", "Dune", date(2024, 3, 20))
    with pytest.raises(NotRenewable):
        desk.renew("ada", "Dune", date(2024, 3, 20))
