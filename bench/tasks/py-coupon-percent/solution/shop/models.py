"""Orders. All money is in whole cents."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    name: str
    price: int
    quantity: int = 1


@dataclass(frozen=True)
class Order:
    items: list = field(default_factory=list)
    express: bool = False
    percent_off: int = 0

    def __post_init__(self):
        if not 0 <= self.percent_off <= 100:
            raise ValueError("percent_off must be between 0 and 100")
        for item in self.items:
            if item.price < 0 or item.quantity < 1:
                raise ValueError(f"bad item {item.name!r}")
