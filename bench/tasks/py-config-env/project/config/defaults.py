"""Settings that hold when nobody says otherwise."""

DEFAULTS = {
    "debug": False,
    "database": {"host": "localhost", "port": 5432, "pool_size": 5},
    "mail": {"sender": "noreply@example.com"},
}
