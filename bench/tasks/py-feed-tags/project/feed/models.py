"""What is in the news feed."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    title: str
    day: date
    summary: str = ""

    def __post_init__(self):
        if not self.title:
            raise ValueError("an entry needs a title")
