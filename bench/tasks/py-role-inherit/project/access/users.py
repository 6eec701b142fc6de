"""Users as the access checks see them."""

from dataclasses import dataclass, field


@dataclass
class User:
    name: str
    roles: list = field(default_factory=lambda: ["guest"])
    blocked: bool = False
