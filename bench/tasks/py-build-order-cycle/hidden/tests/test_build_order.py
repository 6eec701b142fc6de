import pytest
from build_order import CircularDependency, build_order


def test_needed_packages_come_first():
    assert build_order({"app": ["ui", "core"], "ui": ["core"]}) == ["core", "ui", "app"]


def test_shared_dependency_is_no_circle():
    order = build_order({"app": ["a", "b"], "a": ["base"], "b": ["base"]})
    assert order == ["base", "a", "b", "app"]


def test_circle_is_refused():
    with pytest.raises(CircularDependency):
        build_order({"a": ["b"], "b": ["a"]})
