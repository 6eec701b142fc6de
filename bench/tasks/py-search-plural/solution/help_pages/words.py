"""Words as the index knows them."""

PUNCTUATION = ".,;:!?()\"'"
SHORTEST_PLURAL = 4


def normalize(word):
    """Return the form of a word under which it is found.

    Punctuation around the word and its case do not count, nor does the "s" of
    a plural. Words of less than four letters and words with "ss" at their end
    keep their "s".
    """
    word = word.lower().strip(PUNCTUATION)
    if len(word) >= SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word


def words_of(text):
    """Return the normalized words of a text; what is punctuation only is none."""
    return [word for word in map(normalize, text.split()) if word]
