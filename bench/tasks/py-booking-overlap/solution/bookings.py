"""Room bookings. A stay is [arrival, departure): the room is free on the departure day."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Booking:
    room: str
    arrival: date
    departure: date

    def __post_init__(self):
        if self.departure <= self.arrival:
            raise ValueError("departure must be after arrival")

    @property
    def nights(self):
        return (self.departure - self.arrival).days


def overlaps(first, second):
    """Tell whether two bookings want the same room in the same night."""
    if first.room != second.room:
        return False
    return first.arrival < second.departure and second.arrival < first.departure


def conflicts(wanted, bookings):
    """Return the bookings that stand in the way of the wanted one."""
    return [booking for booking in bookings if overlaps(wanted, booking)]
