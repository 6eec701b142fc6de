from datetime import date

import pytest
from due import UnknownTerms, due_date, is_overdue


def test_net():
    assert due_date(date(2024, 1, 20), "net30") == date(2024, 2, 19)


def test_end_of_month():
    assert due_date(date(2024, 4, 3), "eom") == date(2024, 4, 30)


def test_days_after_the_end_of_the_month():
    assert due_date(date(2024, 4, 3), "eom+10") == date(2024, 5, 10)


def test_unknown_terms():
    with pytest.raises(UnknownTerms):
        due_date(date(2024, 1, 20), "soon")


def test_not_overdue_on_the_day_itself():
    assert not is_overdue(date(2024, 1, 1), "net14", date(2024, 1, 15))
    assert is_overdue(date(2024, 1, 1), "net14", date(2024, 1, 16))
