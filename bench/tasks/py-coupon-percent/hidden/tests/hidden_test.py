import pytest
from shop.models import Item, Order
from shop.pricing import order_total


@pytest.mark.parametrize(
    "price, percent, goods",
    [
        (1000, 0, 1000),
        (1000, 100, 0),
        (999, 50, 500),
        (105, 10, 95),
        (995, 10, 896),
        (333, 33, 223),
    ],
)
def test_discount(price, percent, goods):
    order = Order([Item("x", price)], percent_off=percent)
    assert order_total(order) == goods + 490
    assert isinstance(order_total(order), int)


def test_discount_is_on_the_sum_not_on_each_item():
    order = Order([Item("a", 105), Item("b", 105)], percent_off=10)
    assert order_total(order) == 189 + 490


def test_shipping_is_not_discounted():
    order = Order([Item("a", 1000)], express=True, percent_off=50)
    assert order_total(order) == 500 + 990


def test_no_coupon_by_default():
    assert order_total(Order([Item("a", 1000)])) == 1490
    assert order_total(Order()) == 490


@pytest.mark.parametrize("percent", [-1, 101])
def test_bad_percentages(percent):
    with pytest.raises(ValueError):
        Order([Item("a", 1000)], percent_off=percent)


def test_bad_items_are_still_refused():
    with pytest.raises(ValueError):
        Order([Item("a", -1)])
