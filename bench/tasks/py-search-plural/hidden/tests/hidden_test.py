import pytest
from help_pages.search import Index
from help_pages.words import normalize, words_of


@pytest.mark.parametrize(
    "word, expected",
    [
        ("Printers,", "printer"),
        ("(Printers)", "printer"),
        ("printers", "printer"),
        ('"sheets"!', "sheet"),
        ("Gas.", "gas"),
        ("gas", "gas"),
        ("(gas)", "gas"),
        ("bus,", "bus"),
        ("cars.", "car"),
        ("glass,", "glass"),
        ("GLASS", "glass"),
        ("address.", "address"),
        ("s", "s"),
        ("...", ""),
    ],
)
def test_normalize(word, expected):
    assert normalize(word) == expected


def test_words():
    assert words_of("Cables - (short ones), long ones!") == ["cable", "-", "short", "one", "long", "one"]
    assert words_of(" ,  ! ") == []


def test_queries_may_have_punctuation():
    index = Index()
    index.add("A", "One cable")
    index.add("B", "No gas")
    assert index.search("cables?") == ["A"]
    assert index.search("gas!") == ["B"]
