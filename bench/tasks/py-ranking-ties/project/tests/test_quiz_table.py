from quiz_table import as_text, podium, ranking


def test_best_first():
    assert ranking({"Owls": 3, "Foxes": 8}) == [(1, "Foxes", 8), (2, "Owls", 3)]


def test_equal_points_share_a_rank():
    points = {"Owls": 7, "Foxes": 9, "Bears": 7, "Cats": 4}
    assert ranking(points) == [(1, "Foxes", 9), (2, "Bears", 7), (2, "Owls", 7), (4, "Cats", 4)]


def test_text():
    assert as_text({"Owls": 3, "Foxes": 8}) == "1. Foxes (8)\n2. Owls (3)"


def test_podium():
    assert podium({"a": 1, "b": 2, "c": 3, "d": 4}) == ["d", "c", "b"]
