import pytest
from csv_line import split_line


def test_plain_fields():
    assert split_line("a,b,,d") == ["a", "b", "", "d"]


def test_delimiter_in_quotes():
    assert split_line('1,"Doe, Jane",x') == ["1", "Doe, Jane", "x"]


def test_doubled_quotes_stand_for_one():
    assert split_line('1,"Jim ""Red"" Hill",x') == ["1", 'Jim "Red" Hill', "x"]


def test_open_quote_is_refused():
    with pytest.raises(ValueError):
        split_line('1,"oops')
