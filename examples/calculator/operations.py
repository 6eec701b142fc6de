"""The operations of the calculator."""


def add(left, right):
    return left + right


def subtract(left, right):
    return left - right


def multiply(left, right):
    return left * right


def divide(left, right):
    """Return the exact quotient. Raises ZeroDivisionError if `right` is zero."""
    return left / right


def power(left, right):
    return left**right


OPERATIONS = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "^": power,
}
