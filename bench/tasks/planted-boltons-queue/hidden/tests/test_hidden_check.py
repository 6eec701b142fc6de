from boltons.listutils import BList, SplayList
from boltons.queueutils import HeapPriorityQueue, SortedPriorityQueue


def test_pop_takes_the_item_at_the_index():
    items = BList(range(6))
    assert items.pop(0) == 0
    assert items.pop() == 5
    assert items.pop(-1) == 4
    assert items.pop(1) == 2
    assert list(items) == [1, 3]


def test_pop_first_over_many_sublists():
    items = BList(range(50000))
    items.insert(25000, 'x')
    assert len(items.lists) > 1
    assert [items.pop(0) for _ in range(3)] == [0, 1, 2]
    assert items[0] == 3
    assert items.pop() == 49999


def test_both_queues_agree():
    order = [(5, 'e'), (1, 'a'), (9, 'i'), (3, 'c'), (9, 'j')]
    results = []
    for kind in (HeapPriorityQueue, SortedPriorityQueue):
        queue = kind()
        for priority, name in order:
            queue.add(name, priority)
        queue.remove('c')
        results.append([queue.pop() for _ in range(len(queue))])
    assert results[0] == results[1] == ['i', 'j', 'e', 'a']


def test_splay_list_is_untouched():
    items = SplayList('abc')
    items.swap(0, 2)
    assert list(items) == ['c', 'b', 'a']
