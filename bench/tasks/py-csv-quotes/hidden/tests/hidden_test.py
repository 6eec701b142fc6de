import pytest
from csv_line import split_line


@pytest.mark.parametrize(
    "line, fields",
    [
        ('"""a"""', ['"a"']),
        ('""', [""]),
        ('"",b', ["", "b"]),
        ('"a"",""b"', ['a","b']),
        ("", [""]),
        ("a,", ["a", ""]),
        (" a , b ", [" a ", " b "]),
    ],
)
def test_fields(line, fields):
    assert split_line(line) == fields


def test_other_delimiter():
    assert split_line('a;"b;""c"""', ";") == ["a", 'b;"c"']


def test_unclosed_after_doubled_quote():
    with pytest.raises(ValueError):
        split_line('"a""')
