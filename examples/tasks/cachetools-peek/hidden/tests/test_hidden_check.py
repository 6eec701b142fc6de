import pytest

from cachetools import Cache, FIFOCache, LFUCache, LRUCache, RRCache, TTLCache


class Filling(LRUCache):
    def __missing__(self, key):
        self[key] = "made"
        return self[key]


@pytest.mark.parametrize("kind", [Cache, FIFOCache, LFUCache, LRUCache, RRCache])
def test_gives_the_value_or_the_default(kind):
    cache = kind(2)
    cache["a"] = None
    assert cache.peek("a", 7) is None
    assert cache.peek("b") is None
    assert cache.peek("b", 7) == 7
    assert cache.peek("b", default=8) == 8
    assert len(cache) == 1


def test_does_not_count_as_a_use():
    lru, lfu = LRUCache(2), LFUCache(2)
    for cache in (lru, lfu):
        cache["a"], cache["b"] = 1, 2
    lfu["b"]
    for cache in (lru, lfu):
        for _ in range(5):
            assert cache.peek("a") == 1
        cache["c"] = 3
        assert "a" not in cache
        assert cache.peek("b") == 2


def test_makes_nothing():
    cache = Filling(2)
    assert cache.peek("a", "none") == "none"
    assert len(cache) == 0


def test_does_not_give_what_has_expired():
    now = [0]
    cache = TTLCache(2, ttl=10, timer=lambda: now[0])
    cache["a"] = 1
    assert cache.peek("a") == 1
    now[0] = 11
    assert cache.peek("a", "gone") == "gone"
