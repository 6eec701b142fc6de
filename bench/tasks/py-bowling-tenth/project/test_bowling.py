from bowling import board_line, frame_scores, is_over, score


def test_open_frames():
    assert score([3, 4] * 10) == 70


def test_spare_and_strike():
    assert frame_scores([5, 5, 3, 0, 10, 2, 6]) == [13, 3, 18, 8]


def test_frame_that_is_not_known_yet():
    assert frame_scores([10, 4]) == []
    assert not is_over([10, 4])


def test_perfect_game():
    assert score([10] * 12) == 300


def test_strike_in_the_last_frame():
    assert score([3, 4] * 9 + [10, 2, 5]) == 63 + 17


def test_board():
    assert board_line("Ann", [3, 4, 10, 1, 1]) == "Ann: 7 19 21"
