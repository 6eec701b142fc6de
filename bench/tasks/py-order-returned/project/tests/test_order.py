import pytest
from orders.order import Order
from orders.states import IllegalTransition


def delivered():
    order = Order(7)
    order.pay()
    order.ship()
    order.deliver()
    return order


def test_usual_life():
    assert delivered().history == ["new", "paid", "shipped", "delivered"]


def test_delivered_order_can_be_returned():
    order = delivered()
    order.send_back()
    assert order.state == "returned"
    assert not order.is_open


def test_new_order_cannot_be_returned():
    with pytest.raises(IllegalTransition):
        Order(8).send_back()
