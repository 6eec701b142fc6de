"""Group the page views of a site into sessions."""

from dataclasses import dataclass, field


@dataclass
class Session:
    """What one visitor looked at without a long pause."""

    visitor: str
    start: int
    end: int
    pages: list = field(default_factory=list)

    def add(self, second, page):
        self.end = second
        self.pages.append(page)


def read_views(lines):
    """Yield (second, visitor, page) for each line "second visitor page"; blank lines are skipped."""
    for line in lines:
        if line.strip():
            second, visitor, page = line.split()
            yield int(second), visitor, page


def sessions(views, pause=1800):
    """Return the sessions of all visitors, in the order in which they began.

    The views (second, visitor, page) come in the order of their time, those of
    all visitors mixed. A visitor's session ends when no view of theirs follows
    within `pause` seconds of their last one.
    """
    found = []
    current = None
    for second, visitor, page in views:
        if current is None or visitor != current.visitor or second - current.end > pause:
            current = Session(visitor, second, second)
            found.append(current)
        current.add(second, page)
    return found


def bounce_rate(found):
    """Return the share of the sessions that saw one page only (0 if there are none)."""
    if not found:
        return 0
    return sum(len(session.pages) == 1 for session in found) / len(found)
