"""Parse durations such as "1h30m" as they appear in our job files."""

import re

SECONDS = {
    "s": 1,
    "m": 60,
    "h": 60 * 60,
}

PART = re.compile(r"(\d+)([hms])")


def parse_duration(text):
    """Return the number of seconds of a duration such as "1h30m" or "45s".

    Upper case and spaces between the parts are allowed.
    Raises ValueError for anything that is not a duration.
    """
    compact = text.lower().replace(" ", "")
    if not compact:
        raise ValueError("empty duration")
    total = 0
    position = 0
    while position < len(compact):
        match = PART.match(compact, position)
        if match is None:
            raise ValueError(f"not a duration: {text!r}")
        amount, unit = match.groups()
        total += int(amount) * SECONDS[unit]
        position = match.end()
    return total
