import functools
import operator

import toolz
from toolz import _signatures as signatures
from toolz.functoolz import curry, is_partial_args


def test_reduce_waits_for_its_last_argument():
    total = toolz.curried.reduce(operator.add)
    assert total([1, 2, 3]) == 6
    assert curry(functools.reduce)(operator.add)([4, 5], 1) == 10


def test_partial_counts_the_missing_arguments_only():
    sig = signatures.expand_sig((3, lambda a, b, c: None))
    assert signatures.check_partial(sig, (), {})
    assert signatures.check_partial(sig, (1,), {})
    assert signatures.check_partial(sig, (1, 2), {})
    assert signatures.check_partial(sig, (1, 2, 3), {})
    assert not signatures.check_partial(sig, (1, 2, 3, 4), {})


def test_curried_builtins_and_operators():
    assert is_partial_args(operator.add, (1,), {})
    assert not is_partial_args(operator.add, (1, 2, 3), {})
    assert curry(operator.setitem)({})(1)(2) is None
    assert list(curry(map)(abs)([-1, 2])) == [1, 2]
    assert list(curry(filter)(bool)([0, 1])) == [1]
