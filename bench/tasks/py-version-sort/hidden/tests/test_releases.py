from releases import latest, newest_first


def test_newest_first():
    assert newest_first(["1.2", "1.3", "1.1"]) == ["1.3", "1.2", "1.1"]


def test_two_digit_numbers():
    assert newest_first(["1.9", "1.10", "1.2"]) == ["1.10", "1.9", "1.2"]


def test_latest_of_nothing():
    assert latest([]) is None
