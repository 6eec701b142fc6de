from logtool.summary import count_by_level, error_messages

LOG = """
2024-03-01T12:00:05 - INFO - web - started
2024-03-01T12:00:07 - ERROR - payment - card declined
2024-03-01T12:01:00 - ERROR - payment - card declined
"""


def test_levels():
    assert count_by_level(LOG) == {"INFO": 1, "ERROR": 2}


def test_messages_with_a_dash():
    text = LOG + "2024-03-01T12:02:00 - ERROR - db - timeout - retrying in 5 s\n"
    assert error_messages(text) == ["card declined", "timeout - retrying in 5 s"]
