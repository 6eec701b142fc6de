from ttl_cache import TtlCache


class FakeClock:
    now = 0.0

    def __call__(self):
        return self.now


def make():
    clock = FakeClock()
    return clock, TtlCache(5, clock)


def test_len_at_exact_expiry():
    clock, cache = make()
    cache.set("a", 1)
    clock.now = 4.999
    assert len(cache) == 1
    clock.now = 5.0
    assert len(cache) == 0


def test_len_does_not_disturb_live_entries():
    clock, cache = make()
    cache.set("old", None)
    clock.now = 3
    cache.set("new", None)
    clock.now = 6
    assert len(cache) == 1
    assert "new" in cache
    assert "old" not in cache


def test_setting_again_renews():
    clock, cache = make()
    cache.set("a", 1)
    clock.now = 4
    cache.set("a", 2)
    clock.now = 8
    assert len(cache) == 1
    assert cache.get("a") == 2


def test_many_expired_entries():
    clock, cache = make()
    for number in range(50):
        cache.set(number, number)
    clock.now = 100
    assert len(cache) == 0
    assert cache.get(7, "gone") == "gone"
