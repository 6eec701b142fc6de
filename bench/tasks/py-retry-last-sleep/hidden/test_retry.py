import pytest
from retry import retry


class Flaky:
    def __init__(self, failures):
        self.failures = failures
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise OSError(f"failure {self.calls}")
        return "done"


def test_success_after_two_failures():
    waits = []
    assert retry(Flaky(2), sleep=waits.append) == "done"
    assert waits == [0.5, 1.0]


def test_no_wait_after_the_last_failure():
    waits = []
    flaky = Flaky(5)
    with pytest.raises(OSError, match="failure 3"):
        retry(flaky, sleep=waits.append)
    assert flaky.calls == 3
    assert waits == [0.5, 1.0]
