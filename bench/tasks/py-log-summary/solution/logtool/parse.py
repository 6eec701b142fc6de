"""Parse lines such as

    2024-03-01T12:00:05 - ERROR - payment - card declined

into records. Blank lines are skipped.
"""

from dataclasses import dataclass
from datetime import datetime

SEPARATOR = " - "


@dataclass(frozen=True)
class Record:
    time: datetime
    level: str
    source: str
    message: str


def parse_line(line):
    """Return the record of one line; the message is everything after the source."""
    time, level, source, message = line.strip().split(SEPARATOR, 3)
    return Record(datetime.fromisoformat(time), level, source, message)


def parse_log(text):
    """Return the records of a whole log."""
    return [parse_line(line) for line in text.splitlines() if line.strip()]
