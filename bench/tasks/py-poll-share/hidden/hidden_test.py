from poll import BLANK, report, tally


def test_all_for_one():
    assert report({"tea": 12, "milk": 0}).splitlines() == [
        "Choice  Votes   Share",
        "tea        12  100.0%",
        "milk        0    0.0%",
    ]


def test_nobody_has_voted_yet():
    assert report({"tea": 0, "milk": 0}).splitlines() == [
        "Choice  Votes   Share",
        "tea         0       -",
        "milk        0       -",
    ]


def test_only_blank_ballots():
    assert report(tally(["", " "], options=["tea"])).splitlines() == [
        "Choice   Votes   Share",
        "tea          0       -",
        "(blank)      2       -",
    ]
    assert report({BLANK: 3}).splitlines()[1:] == ["(blank)      3       -"]


def test_many_blank_ones_change_nothing():
    lines = report({"tea": 1, "milk": 1, "juice": 1, "water": 5, BLANK: 992}).splitlines()
    assert [line.split()[-1] for line in lines] == ["Share", "12.5%", "12.5%", "12.5%", "62.5%", "-"]


def test_columns_stay_aligned():
    lines = report({"a rather long name": 98765, "b": 3, BLANK: 1}).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert report({}) == "Choice  Votes   Share"


def test_votes_are_left_alone():
    votes = {"tea": 2, BLANK: 1}
    report(votes)
    assert votes == {"tea": 2, BLANK: 1}
