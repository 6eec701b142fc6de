from datetime import datetime

import pytest
from parking import fee, parked_minutes


def at(day, hour, minute=0):
    return datetime(2024, 5, day, hour, minute)


def test_short_stop_is_free():
    assert fee(at(1, 10), at(1, 10, 15)) == 0


def test_every_begun_hour():
    assert fee(at(1, 10), at(1, 12, 5)) == 600


def test_price_of_a_day():
    assert fee(at(1, 8), at(1, 22)) == 1500


def test_two_days_and_three_hours():
    assert fee(at(1, 10), at(3, 13)) == 3600


def test_wrong_order():
    with pytest.raises(ValueError):
        parked_minutes(at(1, 10), at(1, 9))
