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
    """Return `left` to the power of `right`."""
    result = 1
    for _ in range(int(right)):
        result = multiply(result, left)
    return result


OPERATIONS = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "^": power,
}
