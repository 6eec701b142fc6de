"""Evaluate an expression such as "2 * (3 + 4)"."""

from calc.tokens import tokenize


def evaluate(text):
    """Return the value of an expression. Raises ValueError if it is not one."""
    tokens = tokenize(text)
    value, rest = _sum(tokens)
    if rest:
        raise ValueError(f"unexpected {rest[0]!r}")
    return value


def _sum(tokens):
    value, tokens = _product(tokens)
    while tokens and tokens[0] in ("+", "-"):
        operator = tokens[0]
        right, tokens = _product(tokens[1:])
        value = value + right if operator == "+" else value - right
    return value, tokens


def _product(tokens):
    value, tokens = _atom(tokens)
    while tokens and tokens[0] in ("*", "/"):
        operator = tokens[0]
        right, tokens = _atom(tokens[1:])
        value = value * right if operator == "*" else value / right
    return value, tokens


def _atom(tokens):
    if not tokens:
        raise ValueError("expression ends too early")
    first, rest = tokens[0], tokens[1:]
    if first == "(":
        value, rest = _sum(rest)
        if not rest or rest[0] != ")":
            raise ValueError("missing )")
        return value, rest[1:]
    if first == "-":
        value, rest = _atom(rest)
        return -value, rest
    if isinstance(first, str):
        raise ValueError(f"unexpected {first!r}")
    return first, rest
