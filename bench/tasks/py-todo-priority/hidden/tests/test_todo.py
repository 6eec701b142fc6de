import pytest
from todo.cli import run
from todo.store import TaskStore


@pytest.fixture
def store():
    store = TaskStore()
    store.add("water plants", "low")
    store.add("pay rent", "high")
    store.add("call mum")
    return store


def test_list(store):
    store.finish("call mum")
    assert run(["list"], store) == ["[ ] water plants", "[ ] pay rent"]


def test_store_lists_one_priority(store):
    assert [task["title"] for task in store.list(priority="low")] == ["water plants"]


def test_list_one_priority(store):
    assert run(["list", "--priority", "high"], store) == ["[ ] pay rent"]
