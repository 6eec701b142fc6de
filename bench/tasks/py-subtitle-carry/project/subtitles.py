"""Read, shift, stretch and write subtitles in the SubRip (.srt) format."""

import re
from dataclasses import dataclass

TIME = re.compile(r"(\d+):(\d\d):(\d\d),(\d\d\d)")


@dataclass(frozen=True)
class Cue:
    """A text and the seconds from which to which it is shown."""

    start: float
    end: float
    text: str


def parse_time(text):
    """Return the seconds of a time like "01:02:03,450"."""
    match = TIME.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a time: {text!r}")
    hours, minutes, seconds, millis = map(int, match.groups())
    return hours * 3600 + minutes * 60 + seconds + millis / 1000


def format_time(seconds):
    """Return seconds as "HH:MM:SS,mmm", rounded to the nearest millisecond."""
    whole = int(seconds)
    millis = round((seconds - whole) * 1000)
    minutes, secs = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{secs:02},{millis:03}"


def parse(text):
    """Return the cues of an .srt file."""
    cues = []
    for block in re.split(r"\n\s*\n", text.strip()):
        _number, times, *lines = block.splitlines()
        start, end = map(parse_time, times.split("-->"))
        cues.append(Cue(start, end, "\n".join(lines)))
    return cues


def shift(cues, seconds):
    """Return the cues later (or, below 0, earlier); none starts before 0."""
    return [Cue(max(0, c.start + seconds), max(0, c.end + seconds), c.text) for c in cues]


def stretch(cues, factor):
    """Return the cues with all their times multiplied by factor."""
    return [Cue(c.start * factor, c.end * factor, c.text) for c in cues]


def write(cues):
    """Return the text of an .srt file; the cues are numbered from 1."""
    blocks = [
        f"{number}\n{format_time(cue.start)} --> {format_time(cue.end)}\n{cue.text}\n"
        for number, cue in enumerate(cues, 1)
    ]
    return "\n".join(blocks)
