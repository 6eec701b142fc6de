import pytest
from avatars import COLORS, color, initials


@pytest.mark.parametrize(
    "name, expected",
    [
        ("Anna  Berg", "AB"),
        (" Anna Berg", "AB"),
        ("Anna Berg ", "AB"),
        ("  anna   maria\tvon  berg  ", "AB"),
        ("Anna Berg", "AB"),
        ("Ada King Lovelace", "AL"),
        ("Cher", "C"),
        (" Cher ", "C"),
        ("é", "É"),
        ("", "?"),
        (" ", "?"),
        ("   ", "?"),
    ],
)
def test_initials(name, expected):
    assert initials(name) == expected


def test_color():
    assert color("Anna") == color("Anna")
    assert color("") in COLORS
