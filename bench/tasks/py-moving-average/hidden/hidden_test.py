import pytest
from sensor_stats import median, moving_average


def test_window_of_one_is_the_values():
    assert moving_average([4, 8, 15], 1) == [4, 8, 15]


def test_window_as_long_as_the_values():
    assert moving_average([2, 4], 2) == [3]


def test_window_longer_than_the_values():
    assert moving_average([2, 4], 3) == []
    assert moving_average([], 1) == []


def test_negative_window():
    with pytest.raises(ValueError):
        moving_average([1], -1)


def test_values_are_left_alone():
    values = [3, 1, 2]
    moving_average(values, 2)
    assert median(values) == 2
    assert values == [3, 1, 2]
