import time
from datetime import datetime, timezone

import pytest
from agenda.times import format_time, parse_time
from agenda.upcoming import agenda, upcoming


def utc(*parts):
    return datetime(*parts, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2024-07-10T09:30+02:00", utc(2024, 7, 10, 7, 30)),
        ("2024-07-10T00:30+02:00", utc(2024, 7, 9, 22, 30)),
        ("2024-12-31T20:00-05:00", utc(2025, 1, 1, 1, 0)),
        ("2024-03-10T12:00+05:45", utc(2024, 3, 10, 6, 15)),
        ("2024-03-10T12:00+00:00", utc(2024, 3, 10, 12, 0)),
        ("2024-03-10T12:00", utc(2024, 3, 10, 12, 0)),
    ],
)
def test_parse(text, expected):
    assert parse_time(text) == expected
    assert format_time(parse_time(text)) == format_time(expected)


@pytest.fixture
def far_away(monkeypatch):
    monkeypatch.setenv("TZ", "XXX+7")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_the_clock_of_the_machine_does_not_matter(far_away):
    assert parse_time("2024-03-10T09:00") == utc(2024, 3, 10, 9, 0)
    assert parse_time("2024-03-10T09:00+01:00") == utc(2024, 3, 10, 8, 0)
    assert agenda([{"title": "a", "start": "2024-03-10T09:00"}], "2024-03-10T08:00") == ["10.03. 09:00 a"]


def test_now_may_have_an_offset():
    meetings = [{"title": "a", "start": "2024-03-10T09:00"}, {"title": "b", "start": "2024-03-10T09:10"}]
    assert [title for _, title in upcoming(meetings, "2024-03-10T11:00+02:00")] == ["b"]


def test_not_a_time():
    with pytest.raises(ValueError):
        parse_time("tomorrow")
