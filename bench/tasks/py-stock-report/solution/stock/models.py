"""What lies on our shelves."""

from dataclasses import dataclass


@dataclass
class Article:
    """An article and how many pieces of it are left.

    It has to be reordered when the quantity is at or below `reorder_level`.
    """

    name: str
    quantity: int
    reorder_level: int
    pack_size: int = 1

    @property
    def is_low(self):
        return self.quantity <= self.reorder_level

    def packs_for(self, pieces):
        """Return how many full packs are needed for that many pieces."""
        return -(-pieces // self.pack_size)
