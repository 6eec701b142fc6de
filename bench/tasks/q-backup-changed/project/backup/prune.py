"""Removes old versions that nobody will want any more."""

import shutil
from datetime import datetime, timedelta

KEEP_DAYS = 60
# Versions of the first day of a month are kept longer.
KEEP_MONTHLY_DAYS = 400


def is_outdated(day, now):
    """Whether the old versions of a day may go."""
    limit = KEEP_MONTHLY_DAYS if day.day == 1 else KEEP_DAYS
    return now - day > timedelta(days=limit)


def prune(target, now):
    """Delete the folders of outdated versions and return their names."""
    removed = []
    for folder in sorted((target / "old").glob("????-??-??")):
        if is_outdated(datetime.strptime(folder.name, "%Y-%m-%d"), now):
            shutil.rmtree(folder)
            removed.append(folder.name)
    return removed
