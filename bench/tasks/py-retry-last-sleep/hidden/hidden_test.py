import pytest
from retry import retry


def failing(error, log):
    def operation():
        log.append("call")
        raise error

    return operation


def test_single_attempt_never_waits():
    waits, calls = [], []
    with pytest.raises(OSError):
        retry(failing(OSError("x"), calls), attempts=1, sleep=waits.append)
    assert (len(calls), waits) == (1, [])


def test_longer_series():
    waits, calls = [], []
    with pytest.raises(OSError):
        retry(failing(OSError("x"), calls), attempts=5, delay=1, backoff=3, sleep=waits.append)
    assert len(calls) == 5
    assert waits == [1, 3, 9, 27]


def test_other_errors_are_not_retried():
    waits, calls = [], []
    with pytest.raises(KeyError):
        retry(failing(KeyError("x"), calls), sleep=waits.append)
    assert (len(calls), waits) == (1, [])


def test_success_at_once():
    waits = []
    assert retry(lambda: 0, sleep=waits.append) == 0
    assert waits == []


def test_bad_attempts():
    with pytest.raises(ValueError):
        retry(lambda: 1, attempts=0)
