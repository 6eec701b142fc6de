from datetime import datetime, timedelta

import pytest
from parking import fee, parked_minutes

START = datetime(2024, 2, 28, 18, 30)


@pytest.mark.parametrize(
    "stay, cents",
    [
        (timedelta(days=1), 1500),
        (timedelta(days=1, seconds=59), 1500),
        (timedelta(days=1, minutes=1), 1700),
        (timedelta(days=1, hours=23), 3000),
        (timedelta(days=10), 15000),
        (timedelta(minutes=16), 200),
        (timedelta(minutes=15, seconds=59), 0),
        (timedelta(0), 0),
    ],
)
def test_fee(stay, cents):
    assert fee(START, START + stay) == cents


def test_minutes():
    assert parked_minutes(START, START + timedelta(days=2, minutes=7, seconds=30)) == 2 * 1440 + 7
    assert parked_minutes(START, START + timedelta(seconds=119)) == 1
    assert isinstance(parked_minutes(START, START + timedelta(hours=30)), int)
