from visits import Session, bounce_rate, read_views, sessions


def test_order_of_their_beginning():
    views = [(0, "zoe", "/"), (5, "bob", "/"), (9, "mia", "/"), (20, "bob", "/a"), (30, "zoe", "/b")]
    assert sessions(views) == [
        Session("zoe", 0, 30, ["/", "/b"]),
        Session("bob", 5, 20, ["/", "/a"]),
        Session("mia", 9, 9, ["/"]),
    ]


def test_pause_of_one_while_others_go_on():
    views = [(0, "ann", "/"), (40, "bob", "/"), (80, "bob", "/x"), (101, "ann", "/y"), (120, "bob", "/z")]
    assert sessions(views, pause=100) == [
        Session("ann", 0, 0, ["/"]),
        Session("bob", 40, 120, ["/", "/x", "/z"]),
        Session("ann", 101, 101, ["/y"]),
    ]


def test_new_session_goes_on():
    views = [(0, "ann", "/"), (1, "bob", "/"), (50, "ann", "/a"), (51, "bob", "/b"), (55, "ann", "/c")]
    assert sessions(views, pause=10) == [
        Session("ann", 0, 0, ["/"]),
        Session("bob", 1, 1, ["/"]),
        Session("ann", 50, 55, ["/a", "/c"]),
        Session("bob", 51, 51, ["/b"]),
    ]


def test_pause_counts_from_the_last_view():
    views = [(0, "ann", "/"), (0, "bob", "/"), (10, "ann", "/a"), (20, "ann", "/b"), (20, "bob", "/c")]
    assert sessions(views, pause=10) == [
        Session("ann", 0, 20, ["/", "/a", "/b"]),
        Session("bob", 0, 0, ["/"]),
        Session("bob", 20, 20, ["/c"]),
    ]


def test_views_straight_from_the_log():
    found = sessions(read_views(["1 b /", "2 a /", "3 b /x", "4 a /y", "5 b /z"]))
    assert [(session.visitor, len(session.pages)) for session in found] == [("b", 3), ("a", 2)]
    assert bounce_rate(found) == 0
    assert sessions([]) == []
