import csv
import io
from datetime import date

from club.export import to_csv
from club.members import Member


def test_every_line_has_as_many_cells_as_the_header():
    members = [
        Member("Doe, Jane", "j@example.com", 5, date(2020, 12, 31)),
        Member("X", "x@example.com", joined=None),
    ]
    rows = list(csv.reader(io.StringIO(to_csv(members))))
    assert rows == [
        ["name", "email", "fee", "joined"],
        ["Doe, Jane", "j@example.com", "0.05", "2020-12-31"],
        ["X", "x@example.com", "0.00", ""],
    ]


def test_joined_is_optional():
    assert Member("a", "b").joined is None
    assert Member("a", "b", 3) == Member("a", "b", 3, None)


def test_early_years_have_four_digits():
    assert Member("a", "b", joined=date(987, 1, 2)).as_row()[-1] == "0987-01-02"


def test_empty_export():
    assert to_csv([]) == "name,email,fee,joined\n"
