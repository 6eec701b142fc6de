"""Small statistics for sensor readings."""


def moving_average(values, window):
    """Return the mean of every run of `window` neighbouring values.

    The result has one number for each full window, so it is shorter than
    `values` by window - 1. Raises ValueError if the window is not positive.
    """
    if window < 1:
        raise ValueError("window must be at least 1")
    averages = []
    for start in range(len(values) - window):
        chunk = values[start : start + window]
        averages.append(sum(chunk) / window)
    return averages


def median(values):
    """Return the middle value, or the mean of the two middle ones."""
    if not values:
        raise ValueError("median of no values")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
