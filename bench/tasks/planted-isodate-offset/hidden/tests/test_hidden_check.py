from datetime import timedelta

import pytest

from isodate import parse_datetime, parse_time, parse_tzinfo


@pytest.mark.parametrize(
    ('text', 'hours', 'minutes'),
    [('-03:30', -3, -30), ('-0930', -9, -30), ('-00:45', 0, -45), ('+05:45', 5, 45), ('-07', -7, 0), ('+00:15', 0, 15)],
)
def test_offsets(text, hours, minutes):
    expected = timedelta(hours=hours, minutes=minutes)
    assert parse_tzinfo(text).utcoffset(None) == expected
    assert parse_time('12:00:00' + text).utcoffset() == expected
    assert parse_datetime('2024-05-06T07:08:09' + text).utcoffset() == expected
