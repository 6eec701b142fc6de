"""Members of the club."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Member:
    """A member, as stored and as exported."""

    name: str
    email: str
    fee_cents: int = 0
    joined: date | None = None

    def as_row(self):
        """Return the cells of this member's line in the export."""
        joined = self.joined.isoformat() if self.joined else ""
        return [self.name, self.email, f"{self.fee_cents / 100:.2f}", joined]
