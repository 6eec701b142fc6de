from datetime import date

import pytest
from due import UnknownTerms, due_date, is_overdue


@pytest.mark.parametrize(
    "issued, due",
    [
        (date(2023, 12, 5), date(2023, 12, 31)),
        (date(2024, 1, 31), date(2024, 1, 31)),
        (date(2024, 2, 1), date(2024, 2, 29)),
        (date(2023, 2, 28), date(2023, 2, 28)),
        (date(2024, 11, 30), date(2024, 11, 30)),
    ],
)
def test_end_of_month(issued, due):
    assert due_date(issued, "eom") == due


@pytest.mark.parametrize(
    "issued, terms, due",
    [
        (date(2023, 12, 5), "eom+1", date(2024, 1, 1)),
        (date(2024, 1, 15), "eom+30", date(2024, 3, 1)),
        (date(2024, 6, 30), "eom+5", date(2024, 7, 5)),
        (date(2024, 6, 30), "eom+0", date(2024, 6, 30)),
        (date(2024, 6, 1), "eom+100", date(2024, 10, 8)),
    ],
)
def test_days_after(issued, terms, due):
    assert due_date(issued, terms) == due


@pytest.mark.parametrize("terms", ["", "eom+", "eom10", "eom-3", "eom+x", "xeom", "net", "net30 eom", "eom+10 days"])
def test_refused(terms):
    with pytest.raises(UnknownTerms):
        due_date(date(2024, 1, 20), terms)


def test_overdue_at_the_end_of_the_month():
    assert not is_overdue(date(2024, 2, 3), "eom", date(2024, 2, 29))
    assert is_overdue(date(2024, 2, 3), "eom", date(2024, 3, 1))
