"""The command line of the backup."""

import argparse
from datetime import datetime
from pathlib import Path

from backup.catalogue import Catalogue
from backup.copy import copy_file, retire_old_version
from backup.compare import needs_copy
from backup.prune import prune
from backup.scan import scan


def run(source, target, dry_run=False, now=None):
    """Back up one folder and return the relative paths that were copied."""
    now = now or datetime.now()
    catalogue = Catalogue.load(target / "catalogue.json")
    copied = []
    for entry in scan(source):
        if not needs_copy(entry, catalogue.get(entry.path)):
            continue
        copied.append(entry.path)
        if dry_run:
            continue
        retire_old_version(target, entry.path, now)
        copy_file(source, target, entry.path)
        catalogue.put(entry)
    if not dry_run:
        catalogue.save()
        prune(target, now)
    return copied


def main():
    parser = argparse.ArgumentParser(prog="backup")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    for path in run(options.source, options.target, options.dry_run):
        print(path)


if __name__ == "__main__":
    main()
