from weather import Summary, by_day, report_line, week


def test_summary():
    summary = Summary([4, 1, 7])
    assert (summary.count, summary.lowest, summary.highest, summary.mean) == (3, 1, 7, 4)


def test_no_readings():
    assert Summary().mean is None
    assert report_line("Mon", Summary()) == "Mon: nothing measured"


def test_by_day():
    days = by_day(["Mon 2.5", "Tue -", "Mon 4.5"])
    assert report_line("Mon", days["Mon"]) == "Mon: 2.5 to 4.5, mean 3.5"
    assert days["Tue"].count == 0


def test_week():
    total = week([Summary([5, 9]), Summary([2]), Summary([3, 6, 5])])
    assert (total.count, total.lowest, total.highest, total.mean) == (6, 2, 9, 5)
