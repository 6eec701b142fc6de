from datetime import date, datetime
from decimal import Decimal

import pytest

from isodate.duration import Duration, fquotmod


@pytest.mark.parametrize(
    ('start', 'months', 'expected'),
    [
        (date(2020, 3, 31), -4, date(2019, 11, 30)),
        (date(2020, 1, 15), -1, date(2019, 12, 15)),
        (date(2020, 1, 15), -13, date(2018, 12, 15)),
        (date(2020, 12, 31), 2, date(2021, 2, 28)),
        (date(2020, 6, 1), -30, date(2017, 12, 1)),
    ],
)
def test_months_across_years(start, months, expected):
    assert start + Duration(months=months) == expected
    assert start - Duration(months=-months) == expected


def test_datetime_keeps_its_time():
    assert datetime(2001, 2, 3, 4, 5) - Duration(months=14) == datetime(1999, 12, 3, 4, 5)


@pytest.mark.parametrize('value', range(-40, 41))
def test_quotient_and_remainder_stay_in_range(value):
    div, mod = fquotmod(Decimal(value), 1, 13)
    assert 1 <= mod < 13
    assert div * 12 + mod == value
