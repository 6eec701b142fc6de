"""URL slugs for article titles."""

import re
import unicodedata

MAX_LENGTH = 60


def slugify(title, max_length=MAX_LENGTH):
    """Return the slug of a title, in lower-case ASCII.

    Accented letters lose their accent ("é" becomes "e"). Every run of other
    characters becomes one hyphen. A slug never starts or ends with a hyphen.
    """
    text = unicodedata.normalize("NFKD", title)
    text = text.encode("ascii", "ignore").decode("ascii").lower()
    text = re.sub(r"[^a-z0-9]+", "-", text).strip("-")
    return text[:max_length].rstrip("-")


def unique_slug(title, taken):
    """Return a slug that is not in `taken`, with -2, -3, ... appended if needed."""
    base = slugify(title)
    slug = base
    number = 2
    while slug in taken:
        slug = f"{base}-{number}"
        number += 1
    return slug
