import pytest

from calculator import CalculatorError, calculate


def test_works_from_left_to_right():
    assert calculate("2 + 3 * 4") == 20


def test_a_single_number():
    assert calculate("-7.5") == -7.5


def test_parts_of_a_pizza():
    assert calculate("12 / 8 + 1") == 2.5


def test_power():
    assert calculate("3 ^ 2 - 1") == 8


def test_thousands():
    assert calculate("1,000 + 1") == 1001
    assert calculate("2,500,000 / 1,000") == 2500


def test_division_by_zero():
    with pytest.raises(CalculatorError, match="division by zero"):
        calculate("1 / 0")


def test_unknown_operator():
    with pytest.raises(CalculatorError, match="unknown operator"):
        calculate("1 % 2")
