"""An order and its life."""

from orders.states import CLOSED, check


class Order:
    def __init__(self, number):
        self.number = number
        self.state = "new"
        self.history = ["new"]

    def _go(self, state):
        check(self.state, state)
        self.state = state
        self.history.append(state)

    def pay(self):
        self._go("paid")

    def ship(self):
        self._go("shipped")

    def deliver(self):
        self._go("delivered")

    def cancel(self):
        self._go("cancelled")

    def send_back(self):
        self._go("returned")

    @property
    def is_open(self):
        """Whether somebody still has to do something about this order."""
        return self.state not in CLOSED
