"""Keeps us below the limit of the mail server."""

import time

from newsletter.settings import MAILS_PER_MINUTE


class Throttle:
    def __init__(self, per_minute=MAILS_PER_MINUTE, clock=time.monotonic, sleep=time.sleep):
        self._gap = 60 / per_minute
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0

    def wait(self):
        """Wait until the next mail may go out."""
        now = self._clock()
        if now < self._next:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + self._gap
