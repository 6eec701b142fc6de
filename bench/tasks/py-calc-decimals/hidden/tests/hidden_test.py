import pytest
from calc.evaluate import evaluate
from calc.tokens import tokenize


def test_tokens():
    assert tokenize("10.25*(3-0.5)") == [10.25, "*", "(", 3, "-", 0.5, ")"]


def test_whole_numbers_stay_int():
    assert [type(token) for token in tokenize("7 7.0")] == [int, float]
    assert isinstance(evaluate("2 + 3"), int)


@pytest.mark.parametrize(
    "text, value", [("-0.5 * 4", -2), ("1.25 + 1.25", 2.5), ("10 / 4", 2.5), ("12.0", 12)]
)
def test_values(text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize("text", ["1.2.3", "2 2", "a", "", "(1"])
def test_refused(text):
    with pytest.raises(ValueError):
        evaluate(text)
