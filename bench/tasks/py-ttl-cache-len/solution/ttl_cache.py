"""A cache whose entries expire."""

import time


class TtlCache:
    """A mapping that forgets each entry `ttl` seconds after it was set.

    An entry counts as expired from the moment its age reaches the ttl.
    `clock` returns seconds and can be replaced in tests.
    """

    def __init__(self, ttl, clock=time.monotonic):
        if ttl <= 0:
            raise ValueError("ttl must be positive")
        self._ttl = ttl
        self._clock = clock
        self._entries = {}

    def set(self, key, value):
        """Store a value; setting a key again starts its time anew."""
        self._entries[key] = (value, self._clock() + self._ttl)

    def get(self, key, default=None):
        """Return the value, or `default` when it is missing or expired."""
        entry = self._entries.get(key)
        if entry is None:
            return default
        value, expires_at = entry
        if self._clock() >= expires_at:
            del self._entries[key]
            return default
        return value

    def __contains__(self, key):
        missing = object()
        return self.get(key, missing) is not missing

    def __len__(self):
        """Return how many entries have not expired."""
        now = self._clock()
        return sum(1 for _, expires_at in self._entries.values() if now < expires_at)
