"""Take secrets out of log lines before they leave the house."""

import re

SECRET_NAMES = ("password", "token", "api_key")
MASK = "***"

_SECRET = re.compile(rf"\b({'|'.join(SECRET_NAMES)})=[^\s&]+", re.IGNORECASE)


def redact(line):
    """Return the line with the value of every secret replaced by "***".

    Secrets are written name=value, in any case; the name stays as it was. A
    value ends at white space, at "&" (in urls) or at the end of the line.
    """
    return _SECRET.sub(rf"\1={MASK}", line)


def redact_all(lines):
    """Redact many lines; returns the new lines and how many were changed."""
    redacted = [redact(line) for line in lines]
    changed = sum(1 for old, new in zip(lines, redacted) if old != new)
    return redacted, changed
