from itertools import permutations

from weather import Summary, by_day, report_line, week


def facts(summary):
    return (summary.count, summary.total, summary.lowest, summary.highest)


def test_around_zero():
    for days in permutations([[0], [3, 4], [-2, 0], [0, 1]]):
        assert facts(week(Summary(day) for day in days)) == (7, 6, -2, 4)
    for days in permutations([[0], [-5], [-3, -1]]):
        assert facts(week(Summary(day) for day in days)) == (4, -9, -5, 0)
    for days in permutations([[0, 2], [5], [4, 3]]):
        assert facts(week(Summary(day) for day in days)) == (5, 14, 0, 5)


def test_days_without_readings():
    assert facts(week([Summary(), Summary([4, 6]), Summary()])) == (2, 10, 4, 6)
    assert facts(week([Summary(), Summary()])) == (0, 0, None, None)
    assert week([]).mean is None


def test_the_other_one_is_left_alone():
    first, second = Summary([1, 2]), Summary([7])
    first.merge(second)
    first.add(10)
    assert facts(first) == (4, 20, 1, 10)
    assert facts(second) == (1, 7, 7, 7)


def test_into_an_empty_one():
    empty, day = Summary(), Summary([-3, -8])
    empty.merge(day)
    empty.add(-1)
    assert facts(empty) == (3, -12, -8, -1)
    assert facts(day) == (2, -11, -8, -3)


def test_every_reading_counts_the_same():
    days = by_day(["Mon 10", "Tue -", "Wed 1", "Wed 2", "Wed 3"])
    assert report_line("Week", week(days.values())) == "Week: 1.0 to 10.0, mean 4.0"
