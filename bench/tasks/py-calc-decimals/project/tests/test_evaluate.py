import pytest
from calc.evaluate import evaluate


def test_precedence():
    assert evaluate("2 + 3 * 4") == 14
    assert evaluate("(2 + 3) * -4") == -20


def test_decimals():
    assert evaluate("1.5 + 2") == 3.5


def test_errors():
    with pytest.raises(ValueError):
        evaluate("2 +")
    with pytest.raises(ValueError):
        evaluate("2 % 3")
