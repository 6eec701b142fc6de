import pytest
from redact import redact, redact_all


@pytest.mark.parametrize(
    "line, expected",
    [
        ("GET /a?token=abc&page=2 200", "GET /a?token=***&page=2 200"),
        ("GET /a?page=2&api_key=x-1.y/z+w== 200", "GET /a?page=2&api_key=*** 200"),
        ("password=a token=b user=c", "password=*** token=*** user=c"),
        ("password=a&token=b", "password=***&token=***"),
        ("PASSWORD=x\tuser=ada", "PASSWORD=***\tuser=ada"),
        ('password="x;,y" user=ada', "password=*** user=ada"),
        ("mytoken=abc", "mytoken=abc"),
        ("tokens used: 5", "tokens used: 5"),
    ],
)
def test_redact(line, expected):
    assert redact(line) == expected


def test_many():
    lines = ["a password=x b", "nothing", "token=1"]
    assert redact_all(lines) == (["a password=*** b", "nothing", "token=***"], 2)
    assert lines[0] == "a password=x b"
