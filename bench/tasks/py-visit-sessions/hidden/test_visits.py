from visits import Session, bounce_rate, read_views, sessions


def test_read_views():
    assert list(read_views(["10 ann /", "", "25 bob /shop\n"])) == [(10, "ann", "/"), (25, "bob", "/shop")]


def test_one_visitor():
    assert sessions([(0, "ann", "/"), (60, "ann", "/shop")]) == [Session("ann", 0, 60, ["/", "/shop"])]


def test_long_pause():
    views = [(0, "ann", "/"), (1800, "ann", "/a"), (3601, "ann", "/b")]
    assert sessions(views) == [Session("ann", 0, 1800, ["/", "/a"]), Session("ann", 3601, 3601, ["/b"])]


def test_two_at_the_same_time():
    views = [(0, "ann", "/"), (5, "bob", "/"), (20, "ann", "/shop"), (30, "bob", "/help")]
    found = sessions(views)
    assert found == [Session("ann", 0, 20, ["/", "/shop"]), Session("bob", 5, 30, ["/", "/help"])]
    assert bounce_rate(found) == 0


def test_bounce_rate():
    assert bounce_rate([]) == 0
    assert bounce_rate([Session("a", 0, 0, ["/"]), Session("b", 0, 9, ["/", "/x"])]) == 0.5
