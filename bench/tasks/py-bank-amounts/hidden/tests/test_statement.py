import pytest
from bank.amounts import format_amount
from bank.statement import balance, read_statement

INCOME = """
01.03.;Salary;2.500,00
04.03.;Refund;+12,35
"""


def test_income():
    assert balance(INCOME) == 251235


def test_bookings():
    assert read_statement("02.03.;Rent;-900,00") == [{"day": "02.03.", "text": "Rent", "cents": -90000}]


def test_withdrawals():
    assert balance(INCOME + "05.03.;Coffee;-3,20\n05.03.;Books;-1.041,99\n", opening=1000) == 251235 + 1000 - 104519


def test_not_an_amount():
    with pytest.raises(ValueError):
        read_statement("01.03.;Salary;lots")


def test_format():
    assert format_amount(-123456) == "-1.234,56"
