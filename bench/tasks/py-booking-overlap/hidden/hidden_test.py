from datetime import date

import pytest
from bookings import Booking, conflicts, overlaps


def stay(first, last, room="12"):
    return Booking(room, date(2024, 5, first), date(2024, 5, last))


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (stay(1, 5), stay(5, 8), False),
        (stay(5, 8), stay(1, 5), False),
        (stay(1, 10), stay(4, 5), True),
        (stay(4, 5), stay(1, 10), True),
        (stay(1, 5), stay(1, 5), True),
        (stay(1, 5), stay(4, 5), True),
        (stay(1, 2), stay(3, 4), False),
    ],
)
def test_overlaps(first, second, expected):
    assert overlaps(first, second) is expected


def test_conflicts_keep_their_order():
    wanted = stay(3, 9)
    others = [stay(8, 12), stay(9, 11), stay(1, 4), stay(1, 3)]
    assert conflicts(wanted, others) == [others[0], others[2]]


def test_nights():
    assert stay(1, 5).nights == 4
