from cachetools import LRUCache


def test_peek_does_not_count_as_a_use():
    cache = LRUCache(2)
    cache["a"], cache["b"] = 1, 2
    assert cache.peek("a") == 1
    cache["c"] = 3
    assert "a" not in cache
