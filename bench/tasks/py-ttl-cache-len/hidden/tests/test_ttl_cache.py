from ttl_cache import TtlCache


class FakeClock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_value_expires():
    clock = FakeClock()
    cache = TtlCache(10, clock)
    cache.set("a", 1)
    assert cache.get("a") == 1
    clock.now += 10
    assert cache.get("a") is None


def test_len_counts_only_live_entries():
    clock = FakeClock()
    cache = TtlCache(10, clock)
    cache.set("a", 1)
    clock.now += 6
    cache.set("b", 2)
    assert len(cache) == 2
    clock.now += 6
    assert len(cache) == 1
