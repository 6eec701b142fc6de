from bowling import board_line, frame_scores, is_over, score


def test_frames_of_a_game_that_ends_with_a_strike():
    rolls = [0, 1] * 9 + [10, 2, 5]
    assert frame_scores(rolls) == [1] * 9 + [17]
    assert is_over(rolls)


def test_board_of_a_game_that_ends_with_a_strike():
    assert board_line("Bo", [0, 1] * 9 + [10, 0, 4]) == "Bo: 1 2 3 4 5 6 7 8 9 23 *"


def test_strike_in_the_ninth_frame_only():
    assert frame_scores([0, 1] * 8 + [10, 2, 5]) == [1] * 8 + [17, 7]
    assert score([0, 1] * 8 + [10, 2, 5]) == 32


def test_strikes_up_to_the_tenth():
    assert score([10] * 10 + [3, 4]) == 240 + 23 + 17
    assert score([10] * 11 + [4]) == 240 + 30 + 24


def test_spare_in_the_last_frame():
    assert frame_scores([0, 1] * 9 + [4, 6, 10]) == [1] * 9 + [20]
    assert frame_scores([0, 1] * 9 + [10, 3, 7]) == [1] * 9 + [20]


def test_tenth_frame_still_open():
    assert frame_scores([0, 1] * 9 + [10, 2]) == [1] * 9
    assert not is_over([0, 1] * 9 + [10, 2])
