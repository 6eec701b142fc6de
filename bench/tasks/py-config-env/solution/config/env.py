"""Settings from environment variables.

APP_DEBUG=true sets "debug"; two underscores go one level down, so
APP_DATABASE__POOL_SIZE=20 sets "pool_size" in "database".
"""

PREFIX = "APP_"


def parse_value(text):
    """Turn the text of a variable into a bool, an int or a string."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text


def settings_from(environ):
    """Return the nested settings that the environment asks for."""
    settings = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX):
            continue
        *parents, last = name[len(PREFIX) :].lower().split("__")
        level = settings
        for parent in parents:
            level = level.setdefault(parent, {})
        level[last] = parse_value(text)
    return settings
