"""Finds the files to back up."""

import os
from dataclasses import dataclass
from fnmatch import fnmatch

SKIP_FOLDERS = {".git", "node_modules", "__pycache__", ".venv"}
SKIP_FILES = ("*.tmp", "*.swp", "~$*")


@dataclass(frozen=True)
class Entry:
    path: str
    size: int
    mtime: int


def is_skipped(name):
    return any(fnmatch(name, pattern) for pattern in SKIP_FILES)


def scan(root):
    """Yield an Entry for every file below root, in a stable order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIP_FOLDERS)
        for name in sorted(files):
            if is_skipped(name):
                continue
            full = os.path.join(folder, name)
            info = os.stat(full)
            yield Entry(os.path.relpath(full, root), info.st_size, int(info.st_mtime))
