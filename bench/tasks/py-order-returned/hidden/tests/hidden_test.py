import pytest
from orders.order import Order
from orders.states import IllegalTransition

STEPS = ["pay", "ship", "deliver"]


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_only_delivered_orders_come_back(steps):
    order = Order(1)
    for step in STEPS[:steps]:
        getattr(order, step)()
    before = list(order.history)
    with pytest.raises(IllegalTransition):
        order.send_back()
    assert order.history == before
    assert order.is_open


@pytest.mark.parametrize("step", [*STEPS, "cancel", "send_back"])
def test_returned_is_the_end(step):
    order = Order(1)
    for name in STEPS:
        getattr(order, name)()
    order.send_back()
    with pytest.raises(IllegalTransition):
        getattr(order, step)()
    assert order.history[-2:] == ["delivered", "returned"]


def test_cancelled_cannot_be_returned():
    order = Order(1)
    order.cancel()
    with pytest.raises(IllegalTransition):
        order.send_back()
    assert not order.is_open


def test_delivered_is_closed():
    order = Order(1)
    for name in STEPS:
        getattr(order, name)()
    assert not order.is_open
