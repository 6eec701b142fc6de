"""Readings of a weather station, summed up by day and by week."""


class Summary:
    """What a report needs of some readings: how many, their sum, the lowest and the highest.

    As long as there are no readings, lowest, highest and mean are None.
    """

    def __init__(self, readings=()):
        self.count = 0
        self.total = 0
        self.lowest = None
        self.highest = None
        for reading in readings:
            self.add(reading)

    def add(self, reading):
        """Take in one reading."""
        self.count += 1
        self.total += reading
        if self.lowest is None or reading < self.lowest:
            self.lowest = reading
        if self.highest is None or reading > self.highest:
            self.highest = reading

    def merge(self, other):
        """Take in all readings of another summary, which stays as it is."""
        if not other.count:
            return
        self.lowest = min(other.lowest, other.lowest if self.lowest is None else self.lowest)
        self.highest = max(other.highest, other.highest if self.highest is None else self.highest)
        self.count += other.count
        self.total += other.total

    @property
    def mean(self):
        return self.total / self.count if self.count else None


def by_day(lines):
    """Return {day: Summary} for lines "day degrees". "-" for the degrees: nothing measured."""
    days = {}
    for line in lines:
        day, degrees = line.split()
        summary = days.setdefault(day, Summary())
        if degrees != "-":
            summary.add(float(degrees))
    return days


def week(days):
    """Return one Summary for the summaries of some days, which stay as they are.

    Each reading counts the same; a day without readings changes nothing.
    """
    total = Summary()
    for day in days:
        total.merge(day)
    return total


def report_line(name, summary):
    """Return a line of the report: "Mon: -1.0 to 7.5, mean 3.2"."""
    if not summary.count:
        return f"{name}: nothing measured"
    return f"{name}: {summary.lowest:.1f} to {summary.highest:.1f}, mean {summary.mean:.1f}"
