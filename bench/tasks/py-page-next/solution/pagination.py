"""Pages of a list, as the web views need them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    items: list
    number: int
    per_page: int
    total: int

    @property
    def has_previous(self):
        return self.number > 1

    @property
    def has_next(self):
        """Whether there are items after this page."""
        return self.number * self.per_page < self.total


def paginate(items, number=1, per_page=10):
    """Return page `number` (the first one is 1) of the items."""
    if number < 1 or per_page < 1:
        raise ValueError("page number and size start at 1")
    start = (number - 1) * per_page
    return Page(items[start : start + per_page], number, per_page, len(items))
