"""Merging nested settings."""


def merge(base, changes):
    """Return a new dict: `base` with `changes` on top, nested dicts key by key."""
    merged = dict(base)
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged
