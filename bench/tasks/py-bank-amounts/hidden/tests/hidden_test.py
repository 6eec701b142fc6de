import pytest
from bank.amounts import format_amount, parse_amount
from bank.statement import balance, read_statement, summary


@pytest.mark.parametrize(
    "text, cents",
    [
        ("-0,50", -50),
        ("-0,05", -5),
        ("+0,50", 50),
        ("0,50", 50),
        ("-1,00", -100),
        ("-3,20", -320),
        ("-12.345.678,91", -1234567891),
        ("-1234,56", -123456),
        (" -7,01 ", -701),
        ("0,00", 0),
        ("-0,00", 0),
    ],
)
def test_amounts(text, cents):
    assert parse_amount(text) == cents
    assert parse_amount(format_amount(cents)) == cents


@pytest.mark.parametrize("text", ["", "-", "1", "1,5", "--1,00", "1,00-", "1.23,00", "- 1,00"])
def test_refused(text):
    with pytest.raises(ValueError):
        parse_amount(text)


def test_small_fees():
    statement = "01.03.;Fee;-0,50\n02.03.;Fee;-0,25\n03.03.;Interest;0,10"
    assert balance(statement, opening=65) == 0
    assert [booking["cents"] for booking in read_statement(statement)] == [-50, -25, 10]
    assert summary(statement) == "3 bookings, -0,75 spent, -0,65 left"
