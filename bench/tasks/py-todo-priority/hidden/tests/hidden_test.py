import pytest
from todo.cli import run
from todo.store import TaskStore


def make():
    store = TaskStore()
    store.add("a", "high")
    store.add("b", "low")
    store.add("c", "high")
    store.finish("a")
    return store


def test_priority_hides_finished_tasks():
    assert run(["list", "--priority", "high"], make()) == ["[ ] c"]


def test_priority_and_all():
    assert run(["list", "--all", "--priority", "high"], make()) == ["[x] a", "[ ] c"]
    assert len(make().list(include_done=True, priority="high")) == 2


def test_no_priority_lists_everything():
    assert run(["list", "--all"], make()) == ["[x] a", "[ ] b", "[ ] c"]
    assert [task["title"] for task in make().list()] == ["b", "c"]
    assert [task["title"] for task in make().list(True)] == ["a", "b", "c"]


def test_none_with_that_priority():
    assert run(["list", "--priority", "normal"], make()) == []


def test_unknown_priority():
    with pytest.raises(SystemExit):
        run(["list", "--priority", "urgent"], make())


def test_add():
    store = TaskStore()
    assert run(["add", "x", "--priority", "low"], store) == ["added x"]
    assert store.list()[0]["priority"] == "low"
