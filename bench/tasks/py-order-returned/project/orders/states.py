"""The states of an order and how it moves between them."""

TRANSITIONS = {
    "new": {"paid", "cancelled"},
    "paid": {"shipped", "cancelled"},
    "shipped": {"delivered"},
    "delivered": set(),
    "cancelled": set(),
}

CLOSED = {"delivered", "cancelled"}


class IllegalTransition(Exception):
    """An order cannot go from its state to the wanted one."""


def check(current, wanted):
    """Raise IllegalTransition unless an order may go from one state to the other."""
    if wanted not in TRANSITIONS[current]:
        raise IllegalTransition(f"{current} -> {wanted}")
