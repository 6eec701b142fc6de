from datetime import date

import pytest
from feed.models import Entry
from feed.render import render_entry, render_feed

DAY = date(2024, 5, 2)


def test_entry():
    entry = Entry("Tea & cake", DAY, "On <Friday>")
    assert render_entry(entry) == (
        "<entry><title>Tea &amp; cake</title><updated>2024-05-02</updated>"
        "<summary>On &lt;Friday&gt;</summary></entry>"
    )


def test_newest_first():
    feed = render_feed("News", "/?a=1&b=2", [Entry("a", date(2024, 1, 1)), Entry("b", DAY)])
    assert feed.startswith('<feed><title>News</title><link href="/?a=1&amp;b=2"/>')
    assert feed.index(">b<") < feed.index(">a<")


def test_tags():
    entry = Entry("Sale", DAY, tags=("tea", "news"))
    assert render_entry(entry) == (
        '<entry><title>Sale</title><category term="tea"/><category term="news"/>'
        "<updated>2024-05-02</updated></entry>"
    )


def test_title_is_needed():
    with pytest.raises(ValueError):
        Entry("", DAY)
