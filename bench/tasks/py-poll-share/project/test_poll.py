from poll import BLANK, report, tally, winner


def test_tally():
    votes = tally(["tea", " coffee", "", "tea ", "milk"], options=["juice", "tea"])
    assert list(votes.items()) == [("tea", 2), ("coffee", 1), ("milk", 1), ("juice", 0), (BLANK, 1)]


def test_winner():
    assert winner({"tea": 2, "milk": 1, BLANK: 5}) == "tea"
    assert winner({"tea": 2, "milk": 2}) is None
    assert winner({}) is None


def test_report():
    assert report({"tea": 5, "hot chocolate": 3}).splitlines() == [
        "Choice         Votes   Share",
        "tea                5   62.5%",
        "hot chocolate      3   37.5%",
    ]


def test_report_with_blank_ballots():
    assert report({"tea": 2, "milk": 1, BLANK: 1}).splitlines() == [
        "Choice   Votes   Share",
        "tea          2   66.7%",
        "milk         1   33.3%",
        "(blank)      1       -",
    ]
