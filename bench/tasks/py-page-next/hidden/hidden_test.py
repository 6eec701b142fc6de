import pytest
from pagination import paginate


@pytest.mark.parametrize(
    "count, number, per_page, expected",
    [
        (20, 2, 10, False),
        (20, 1, 10, True),
        (21, 2, 10, True),
        (21, 3, 10, False),
        (10, 1, 10, False),
        (0, 1, 10, False),
        (3, 2, 1, True),
        (3, 3, 1, False),
    ],
)
def test_has_next(count, number, per_page, expected):
    assert paginate(list(range(count)), number, per_page).has_next is expected


def test_has_previous():
    assert not paginate([1, 2, 3], 1, 2).has_previous
    assert paginate([1, 2, 3], 2, 2).has_previous


def test_items():
    assert paginate([1, 2, 3], 2, 2).items == [3]
    with pytest.raises(ValueError):
        paginate([1], 0)
