import pytest

import cachetools


@pytest.mark.parametrize('kind', [cachetools.Cache, cachetools.FIFOCache, cachetools.LRUCache, cachetools.LFUCache])
def test_overwriting_replaces_the_size(kind):
    cache = kind(maxsize=10, getsizeof=lambda value: value)
    cache['a'] = 4
    cache['b'] = 5
    cache['a'] = 3
    assert (cache.currsize, sorted(cache)) == (8, ['a', 'b'])
    cache['a'] = 5
    assert (cache.currsize, sorted(cache)) == (10, ['a', 'b'])
    cache['a'] = 0
    assert (cache.currsize, sorted(cache)) == (5, ['a', 'b'])
    del cache['b']
    assert cache.currsize == 0


def test_growing_an_entry_evicts_only_what_is_needed():
    cache = cachetools.LRUCache(maxsize=6, getsizeof=len)
    cache[1] = 'aa'
    cache[2] = 'bb'
    cache[3] = 'c'
    cache[3] = 'cccc'
    assert sorted(cache) == [2, 3]
    assert cache.currsize == 6
