from datetime import date

from club.export import to_csv, total_fees
from club.members import Member


def test_export_has_the_joining_date():
    members = [
        Member("Zoe", "zoe@example.com", 1250, joined=date(2023, 4, 1)),
        Member("abe", "abe@example.com"),
    ]
    assert to_csv(members) == (
        "name,email,fee,joined\n"
        "abe,abe@example.com,0.00,\n"
        "Zoe,zoe@example.com,12.50,2023-04-01\n"
    )


def test_total():
    assert total_fees([Member("a", "a", 5), Member("b", "b", 7)]) == 12
