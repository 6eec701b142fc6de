"""Works out expressions from left to right, like a pocket calculator."""

import sys

from operations import OPERATIONS


class CalculatorError(Exception):
    """The expression cannot be worked out; the message says why."""


def to_number(text):
    """Return the number that is written in `text`; commas may separate thousands, as in 1,000."""
    try:
        return float(text)
    except ValueError:
        raise CalculatorError(f"not a number: {text}") from None


def calculate(expression):
    """Return the value of an expression such as "2 + 3 * 4" (which is 20 here).

    Numbers and operators are separated by spaces.
    """
    first, *rest = expression.split() or ["0"]
    if len(rest) % 2:
        raise CalculatorError("an operator has no number after it")
    value = to_number(first)
    for operator, number in zip(rest[::2], rest[1::2]):
        if operator not in OPERATIONS:
            raise CalculatorError(f"unknown operator: {operator}")
        try:
            value = OPERATIONS[operator](value, to_number(number))
        except ZeroDivisionError:
            raise CalculatorError("division by zero") from None
    return value


if __name__ == "__main__":
    print(calculate(" ".join(sys.argv[1:])))
