"""Order the releases on the download page."""


def version_key(version):
    """Return a key that orders versions such as "1.9" or "v2.0.1" by number.

    A leading "v" does not count.
    """
    return tuple(int(part) for part in version.lstrip("v").split("."))


def newest_first(versions):
    """Return the versions with the newest one first."""
    return sorted(versions, key=version_key, reverse=True)


def latest(versions):
    """Return the newest version, or None if there is none."""
    ordered = newest_first(versions)
    return ordered[0] if ordered else None
