import threading

import pytest

import cachetools


@pytest.mark.parametrize('options', [{}, {'lock': threading.RLock()}, {'condition': threading.Condition()}])
def test_clear_resets_the_statistics(options):
    @cachetools.cached(cachetools.LRUCache(maxsize=2), info=True, **options)
    def double(n):
        return n * 2

    for n in (1, 1, 2, 3):
        assert double(n) == n * 2
    assert tuple(double.cache_info()) == (1, 3, 2, 2)
    double.cache_clear()
    assert tuple(double.cache_info()) == (0, 0, 2, 0)
    double(7)
    double(7)
    assert tuple(double.cache_info()) == (1, 1, 2, 1)
    double.cache_clear()
    assert tuple(double.cache_info()) == (0, 0, 2, 0)


def test_clear_works_for_a_plain_dict_cache():
    @cachetools.cached({}, info=True)
    def same(n):
        return n

    same(1)
    same(1)
    same.cache_clear()
    assert same.cache_info()[:2] == (0, 0)
