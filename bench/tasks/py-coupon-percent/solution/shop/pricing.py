"""What an order costs, in cents."""

SHIPPING = 490
EXPRESS_SHIPPING = 990
FREE_SHIPPING_FROM = 5000


def goods_total(order):
    """Return the sum of the items."""
    return sum(item.price * item.quantity for item in order.items)


def shipping(order):
    """Return the shipping cost; large orders go free, by the sum of their items."""
    if order.express:
        return EXPRESS_SHIPPING
    return 0 if goods_total(order) >= FREE_SHIPPING_FROM else SHIPPING


def discount(order):
    """Return what the coupon takes off the sum of the items."""
    goods = goods_total(order)
    return goods - (goods * (100 - order.percent_off) + 50) // 100


def order_total(order):
    """Return what the customer pays."""
    return goods_total(order) - discount(order) + shipping(order)
