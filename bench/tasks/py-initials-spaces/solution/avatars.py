"""What we show for people without a picture."""

COLORS = ("#7b5ea7", "#2f7d6b", "#b0532c", "#35618f", "#8c3f5d")
MOST_LETTERS = 2


def initials(name):
    """Return the initials of a name, in upper case, for the round icon.

    These are the first letters of the first and the last word; one letter if
    there is only one word, "?" if there is no name.
    """
    words = name.split()
    if not words:
        return "?"
    if len(words) > MOST_LETTERS:
        words = [words[0], words[-1]]
    return "".join(word[0] for word in words).upper()


def color(name):
    """Return the color of somebody's icon, always the same for the same name."""
    return COLORS[sum(map(ord, name)) % len(COLORS)]
