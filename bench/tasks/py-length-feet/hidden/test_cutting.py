import pytest
from cutting import board_length, parse_length, read_pieces


@pytest.mark.parametrize(
    "text, millimetres",
    [("120 cm", 1200), ("1.5m", 1500), (" 6 IN ", 152.4), ("2 ft", 609.6), ("7mm", 7)],
)
def test_with_unit(text, millimetres):
    assert parse_length(text) == pytest.approx(millimetres)


@pytest.mark.parametrize("text", ["", "12", "cm", "3 yards", "1,5 m"])
def test_not_a_length(text):
    with pytest.raises(ValueError):
        parse_length(text)


def test_feet_and_inches():
    assert parse_length("5'3\"") == pytest.approx(1600.2)


def test_pieces():
    pieces = read_pieces("shelf: 80 cm\n\nside: 1.2 m\n")
    assert pieces == [("shelf", 800), ("side", 1200)]
    assert board_length(pieces) == 2003


def test_line_that_is_wrong():
    with pytest.raises(ValueError, match="line 2"):
        read_pieces("shelf: 80 cm\nside: long")
