from datetime import datetime

from logtool.parse import Record, parse_line, parse_log
from logtool.summary import count_by_level


def test_record():
    assert parse_line("2024-03-01T12:00:05 - INFO - web - a - b - c\n") == Record(
        datetime(2024, 3, 1, 12, 0, 5), "INFO", "web", "a - b - c"
    )


def test_dash_without_spaces():
    record = parse_line("2024-03-01T00:00:00 - WARN - load-balancer - re-try")
    assert (record.source, record.message) == ("load-balancer", "re-try")


def test_blank_lines():
    assert parse_log("\n   \n") == []


def test_levels_with_dashes_in_messages():
    text = "2024-03-01T00:00:00 - INFO - a - ERROR - no\n2024-03-01T00:00:00 - ERROR - a - x"
    assert count_by_level(text) == {"INFO": 1, "ERROR": 1}
