"""Repeat operations that fail now and then."""

import time


def retry(operation, attempts=3, delay=0.5, backoff=2.0, errors=(OSError,), sleep=time.sleep):
    """Call `operation` until it succeeds and return its result.

    It is called at most `attempts` times. Between two calls we wait, first
    `delay` seconds and then each time `backoff` times longer. Only the given
    errors are retried; when the last attempt fails its error is raised.
    """
    if attempts < 1:
        raise ValueError("attempts must be at least 1")
    last_error = None
    for attempt in range(attempts):
        try:
            return operation()
        except errors as error:
            last_error = error
            sleep(delay)
            delay *= backoff
    raise last_error
