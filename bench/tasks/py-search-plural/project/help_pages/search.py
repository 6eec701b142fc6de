"""A small full-text search."""

from help_pages.words import words_of


class Index:
    def __init__(self):
        self._pages = {}

    def add(self, title, text):
        """Add a page; one with the same title is replaced."""
        for titles in self._pages.values():
            titles.discard(title)
        for word in words_of(f"{title} {text}"):
            self._pages.setdefault(word, set()).add(title)

    def search(self, query):
        """Return the titles of the pages that have all words of the query, sorted."""
        found = [self._pages.get(word, set()) for word in words_of(query)]
        return sorted(set.intersection(*found)) if found else []
