from datetime import date
from xml.etree import ElementTree

import pytest
from feed.models import Entry
from feed.render import render_entry, render_feed

DAY = date(2024, 5, 2)


def terms(xml):
    return [node.get("term") for node in ElementTree.fromstring(xml).iter("category")]


@pytest.mark.parametrize(
    "tags, expected",
    [
        (("b", "a", "c"), ["b", "a", "c"]),
        (("b", "a", "b", "b", "c", "a"), ["b", "a", "c"]),
        (("a & b", "<c>"), ["a & b", "<c>"]),
        (('5" nails',), ['5" nails']),
        (("it's \"so\"",), ["it's \"so\""]),
        (["x", "y"], ["x", "y"]),
        ((), []),
    ],
)
def test_tags(tags, expected):
    assert terms(render_entry(Entry("t", DAY, tags=tags))) == expected


def test_tags_are_after_the_title():
    entry = Entry("t", DAY, "s", tags=("a",))
    nodes = [node.tag for node in ElementTree.fromstring(render_entry(entry))]
    assert nodes == ["title", "category", "updated", "summary"]


def test_without_tags_all_is_as_before():
    assert render_entry(Entry("t", DAY, "s")) == (
        "<entry><title>t</title><updated>2024-05-02</updated><summary>s</summary></entry>"
    )
    assert not Entry("t", DAY).tags


def test_each_entry_has_its_own():
    feed = render_feed("f", "/", [Entry("a", DAY, tags=("x",)), Entry("b", DAY), Entry("c", DAY, tags=("x", "y"))])
    assert terms(feed) == ["x", "x", "y"]
