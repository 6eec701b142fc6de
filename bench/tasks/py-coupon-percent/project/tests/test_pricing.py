import pytest
from shop.models import Item, Order
from shop.pricing import order_total


def test_items_and_shipping():
    assert order_total(Order([Item("mug", 1200, 2)])) == 2400 + 490


def test_free_shipping():
    assert order_total(Order([Item("lamp", 5000)])) == 5000


def test_coupon():
    order = Order([Item("mug", 1200, 2)], percent_off=10)
    assert order_total(order) == 2160 + 490


def test_coupon_over_100_percent():
    with pytest.raises(ValueError):
        Order([Item("mug", 1200)], percent_off=120)
