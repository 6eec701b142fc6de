import pytest
from sensor_stats import median, moving_average


def test_moving_average_of_three():
    assert moving_average([1, 2, 3, 4, 5], 3) == [2, 3, 4]


def test_window_must_be_positive():
    with pytest.raises(ValueError):
        moving_average([1, 2], 0)


def test_median():
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5
