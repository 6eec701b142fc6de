"""Remembers what was backed up, as JSON beside the copies."""

import json

from backup.scan import Entry


class Catalogue:
    def __init__(self, path, entries):
        self._path = path
        self._entries = entries

    @classmethod
    def load(cls, path):
        if not path.exists():
            return cls(path, {})
        rows = json.loads(path.read_text("utf-8"))
        return cls(path, {row["path"]: Entry(**row) for row in rows})

    def get(self, path):
        return self._entries.get(path)

    def put(self, entry):
        self._entries[entry.path] = entry

    def save(self):
        rows = [vars(entry) for entry in self._entries.values()]
        temporary = self._path.with_suffix(".new")
        temporary.write_text(json.dumps(rows, indent=1), "utf-8")
        temporary.replace(self._path)
