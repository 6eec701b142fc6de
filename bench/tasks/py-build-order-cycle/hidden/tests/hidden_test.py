import pytest
from build_order import CircularDependency, build_order


@pytest.mark.parametrize(
    "dependencies",
    [
        {"a": ["a"]},
        {"a": ["b"], "b": ["c"], "c": ["a"]},
        {"start": ["a"], "a": ["b"], "b": ["a"]},
        {"fine": [], "x": ["fine", "y"], "y": ["x"]},
    ],
)
def test_circles(dependencies):
    with pytest.raises(CircularDependency):
        build_order(dependencies)


def test_diamond_listed_last_first():
    dependencies = {"base": [], "b": ["base"], "a": ["base", "b"], "app": ["a", "b"]}
    assert build_order(dependencies) == ["base", "b", "a", "app"]


def test_same_package_twice_is_no_circle():
    assert build_order({"app": ["core", "core"]}) == ["core", "app"]


def test_nothing():
    assert build_order({}) == []
