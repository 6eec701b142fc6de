"""What has changed since the last backup."""

# File systems such as FAT keep times in steps of two seconds.
TIME_TOLERANCE = 2


def needs_copy(entry, known):
    """Tell whether a file has to be copied again.

    `known` is what the catalogue says about it, or None for a new file.
    """
    if known is None:
        return True
    if entry.size != known.size:
        return True
    return abs(entry.mtime - known.mtime) > TIME_TOLERANCE
