import pytest
from cutting import parse_length, read_pieces


@pytest.mark.parametrize("text, millimetres", [("6'", 1828.8), ("7.5\"", 190.5), ("1\"", 25.4), ("0.5'", 152.4)])
def test_one_part_alone(text, millimetres):
    assert parse_length(text) == pytest.approx(millimetres)


@pytest.mark.parametrize(
    "text, millimetres",
    [("5' 3\"", 1600.2), ("  5'3\" ", 1600.2), ("1.5' 2.25\"", 514.35), ("10'11.5\"", 3340.1), ("0'6\"", 152.4)],
)
def test_both_parts(text, millimetres):
    assert parse_length(text) == pytest.approx(millimetres)


@pytest.mark.parametrize("text", ["", "  ", "'", '"', "'\"", "5'x\"", "x'3\"", "five'", "1.2.3'"])
def test_still_not_a_length(text):
    with pytest.raises(ValueError):
        parse_length(text)


def test_the_other_units_are_as_before():
    assert parse_length("2 ft") == pytest.approx(609.6)
    assert parse_length("10CM") == pytest.approx(100)


def test_in_a_cutting_list():
    (first, second) = read_pieces("shelf: 2' 6\"\nside: 40 cm")
    assert first == ("shelf", pytest.approx(762))
    assert second == ("side", 400)
    with pytest.raises(ValueError, match="line 1"):
        read_pieces("shelf: 2'x\"")
