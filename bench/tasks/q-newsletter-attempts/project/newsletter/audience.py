"""Picks the subscribers that an issue goes to."""

from newsletter.settings import BOUNCE_LIMIT


def is_reachable(subscriber):
    """Whether it makes sense to send this subscriber anything."""
    return subscriber.confirmed and subscriber.bounces < BOUNCE_LIMIT


def without_duplicates(subscribers):
    """Keep the first subscriber of each address."""
    seen = set()
    for subscriber in subscribers:
        if subscriber.email not in seen:
            seen.add(subscriber.email)
            yield subscriber


def audience(subscribers, language=None):
    """Return the subscribers who get an issue, perhaps only those of one language."""
    return [
        subscriber
        for subscriber in without_duplicates(subscribers)
        if is_reachable(subscriber) and language in (None, subscriber.language)
    ]
