from redact import redact, redact_all


def test_secret_at_the_end():
    assert redact("login failed user=ada password=s3cret") == "login failed user=ada password=***"


def test_the_rest_of_the_line_stays():
    assert redact("login password=s3cret user=ada ip=10.0.0.1") == "login password=*** user=ada ip=10.0.0.1"


def test_lines_without_secrets():
    assert redact_all(["started", "Token=abc"]) == (["started", "Token=***"], 1)
