"""Members of the club."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """A member, as stored and as exported."""

    name: str
    email: str
    fee_cents: int = 0

    def as_row(self):
        """Return the cells of this member's line in the export."""
        return [self.name, self.email, f"{self.fee_cents / 100:.2f}"]
