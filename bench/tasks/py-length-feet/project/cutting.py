"""Cutting lists, and lengths as people write them."""

import re

MILLIMETRES = {"mm": 1, "cm": 10, "m": 1000, "in": 25.4, "ft": 304.8}
NUMBER = r"\d+(?:\.\d+)?"
WITH_UNIT = re.compile(rf"({NUMBER})\s*([a-z]+)")


def parse_length(text):
    """Return the millimetres of a length such as "120 cm", "1.5m" or "6 IN".

    White space around it does not matter, nor does case. Raises ValueError
    for a text that is not a length.
    """
    match = WITH_UNIT.fullmatch(text.strip().lower())
    if not match or match[2] not in MILLIMETRES:
        raise ValueError(f"not a length: {text!r}")
    return float(match[1]) * MILLIMETRES[match[2]]


def read_pieces(text):
    """Return (name, millimetres) for each line "name: length". Blank lines are skipped.

    A line that cannot be read raises ValueError with its number.
    """
    pieces = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, _, length = line.partition(":")
        try:
            pieces.append((name.strip(), parse_length(length)))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return pieces


def board_length(pieces, blade=3):
    """Return the length of board needed for the pieces, with a saw cut between two."""
    if not pieces:
        return 0
    return sum(length for _, length in pieces) + blade * (len(pieces) - 1)
