from quiz_table import as_text, podium, ranking


def ranks(*scores):
    teams = {f"team {index:02}": score for index, score in enumerate(scores)}
    return [rank for rank, _, _ in ranking(teams)]


def test_ranks_after_a_tie_are_left_out():
    assert ranks(5, 5, 5, 2, 1, 1, 0) == [1, 1, 1, 4, 5, 5, 7]


def test_several_ties():
    assert ranks(9, 9, 8, 8, 8, 1) == [1, 1, 3, 3, 3, 6]


def test_everybody_equal():
    assert ranks(4, 4, 4) == [1, 1, 1]
    assert ranks(0, 0) == [1, 1]


def test_points_below_zero():
    assert ranks(-1, 0, -1, -3) == [1, 2, 2, 4]


def test_no_teams():
    assert ranking({}) == []
    assert podium({}) == []


def test_podium_may_be_crowded():
    assert podium({"a": 5, "b": 4, "c": 3, "d": 3, "e": 2}) == ["a", "b", "c", "d"]
    assert podium({"a": 5, "b": 5, "c": 5, "d": 3}) == ["a", "b", "c"]


def test_text():
    assert as_text({"b": 2, "a": 2, "c": 1}) == "1. a (2)\n1. b (2)\n3. c (1)"
