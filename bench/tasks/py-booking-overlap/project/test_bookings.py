from datetime import date

from bookings import Booking, conflicts, overlaps


def stay(first, last, room="12"):
    return Booking(room, date(2024, 5, first), date(2024, 5, last))


def test_same_nights_overlap():
    assert overlaps(stay(1, 5), stay(4, 8))


def test_other_room():
    assert not overlaps(stay(1, 5), stay(1, 5, room="14"))


def test_arrival_on_departure_day_is_free():
    assert conflicts(stay(5, 8), [stay(1, 5)]) == []
