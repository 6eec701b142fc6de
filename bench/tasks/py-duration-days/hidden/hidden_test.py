import pytest
from duration import parse_duration


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("1w", 604800),
        ("1d12h", 129600),
        ("1W 1D 1H 1M 1S", 604800 + 86400 + 3600 + 60 + 1),
        ("90s", 90),
        ("0d", 0),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "d", "5", "1y", "1d-2h", "w1"])
def test_refused(text):
    with pytest.raises(ValueError):
        parse_duration(text)
