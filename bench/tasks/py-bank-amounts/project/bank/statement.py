"""Statements: a line for each booking, with its day, its text and its amount, separated by ";"."""

from bank.amounts import format_amount, parse_amount


def read_statement(text):
    """Return the bookings as dicts with "day", "text" and "cents"."""
    bookings = []
    for line in text.strip().splitlines():
        day, purpose, amount = line.split(";")
        bookings.append({"day": day, "text": purpose, "cents": parse_amount(amount)})
    return bookings


def balance(text, opening=0):
    """Return the balance after all bookings, in cents."""
    return opening + sum(booking["cents"] for booking in read_statement(text))


def summary(text, opening=0):
    bookings = read_statement(text)
    spent = sum(booking["cents"] for booking in bookings if booking["cents"] < 0)
    return f"{len(bookings)} bookings, {format_amount(spent)} spent, {format_amount(balance(text, opening))} left"
