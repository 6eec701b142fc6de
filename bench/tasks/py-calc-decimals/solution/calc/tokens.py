"""Split an expression into tokens."""

OPERATORS = "+-*/()"


def tokenize(text):
    """Return the tokens of an expression: numbers (int or float) and operators.

    Raises ValueError for a character that has no place in an expression.
    """
    tokens = []
    position = 0
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
        elif char in OPERATORS:
            tokens.append(char)
            position += 1
        elif char.isdigit():
            end = position
            while end < len(text) and (text[end].isdigit() or text[end] == "."):
                end += 1
            number = text[position:end]
            tokens.append(float(number) if "." in number else int(number))
            position = end
        else:
            raise ValueError(f"unexpected {char!r} at {position}")
    return tokens
