from subtitles import Cue, format_time, parse, shift, write


def test_carry_into_the_minutes():
    assert format_time(59.9998) == "00:01:00,000"
    assert format_time(119.9997) == "00:02:00,000"


def test_carry_into_the_hours():
    assert format_time(3599.9996) == "01:00:00,000"
    assert format_time(35999.9999) == "10:00:00,000"


def test_no_carry_below_the_half():
    assert format_time(4.9994) == "00:00:04,999"
    assert format_time(59.9992) == "00:00:59,999"


def test_the_nearest_millisecond():
    assert format_time(1.0006) == "00:00:01,001"
    assert format_time(1.0004) == "00:00:01,000"
    assert format_time(7.0077) == "00:00:07,008"


def test_every_millisecond_around_a_minute_comes_back():
    for millis in range(59_000, 61_000):
        seconds, rest = divmod(millis, 1000)
        assert format_time(millis / 1000) == f"00:{seconds // 60:02}:{seconds % 60:02},{rest:03}"


def test_written_file_can_be_read():
    text = write(shift([Cue(59.5, 3599.5, "a")], 0.4999))
    assert parse(text) == [Cue(60.0, 3600.0, "a")]
