import pytest
from stock.models import Article
from stock.report import report, to_reorder


@pytest.mark.parametrize("quantity, low", [(0, True), (4, True), (5, True), (6, False)])
def test_is_low(quantity, low):
    assert Article("x", quantity, 5).is_low is low


def test_level_zero():
    assert Article("x", 0, 0).is_low
    assert not Article("x", 1, 0).is_low


def test_same_quantity_by_name():
    articles = [Article("b", 2, 2), Article("a", 2, 3)]
    assert [a.name for a in to_reorder(articles)] == ["a", "b"]


def test_packs_are_rounded_up():
    assert report([Article("x", 3, 5, pack_size=6)], target=16) == ["x: 3"]
    assert report([]) == []
