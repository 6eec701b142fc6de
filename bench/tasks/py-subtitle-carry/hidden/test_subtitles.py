import pytest
from subtitles import Cue, format_time, parse, parse_time, shift, stretch, write


def test_parse_time():
    assert parse_time("01:02:03,450") == pytest.approx(3723.45)
    with pytest.raises(ValueError):
        parse_time("1:2:3")


def test_format_time():
    assert format_time(0) == "00:00:00,000"
    assert format_time(3723.45) == "01:02:03,450"


def test_there_and_back():
    text = "1\n00:00:01,500 --> 00:00:03,250\nHello\nyou\n\n2\n00:00:04,000 --> 00:00:05,100\nBye\n"
    assert write(parse(text)) == text


def test_shift_stops_at_zero():
    assert shift([Cue(1, 3, "a")], -2) == [Cue(0, 1, "a")]


def test_stretched_time_is_a_time():
    cues = stretch([Cue(2.0, 4.795, "a")], 25 / 23.976)
    assert write(cues) == "1\n00:00:02,085 --> 00:00:05,000\na\n"
