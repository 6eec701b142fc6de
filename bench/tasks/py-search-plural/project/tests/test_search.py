import pytest
from help_pages.search import Index


@pytest.fixture
def index():
    index = Index()
    index.add("Devices", "Printers, scanners and more")
    index.add("Paper", "Which paper does the printer take? Use only glass-clear sheets.")
    return index


def test_all_words_have_to_be_there(index):
    assert index.search("paper scanner") == []
    assert index.search("PAPER which") == ["Paper"]


def test_plural(index):
    assert index.search("scanner") == ["Devices"]


def test_plural_before_a_comma(index):
    assert index.search("printer") == ["Devices", "Paper"]


def test_replaced_page(index):
    index.add("Devices", "nothing here")
    assert index.search("scanner") == []
    assert index.search("") == []
