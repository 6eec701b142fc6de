"""Delivers one mail, with patience."""

import smtplib
import time

from newsletter.settings import RETRIES, RETRY_WAIT_SECONDS


class DeliveryFailed(Exception):
    """The mail could not be delivered; the last error is the cause."""


def deliver(transport, message, sleep=time.sleep):
    """Hand a message to the transport. Temporary errors are tried again."""
    failures = 0
    while True:
        try:
            return transport.send(message)
        except smtplib.SMTPRecipientsRefused as error:
            raise DeliveryFailed(message["To"]) from error
        except (smtplib.SMTPException, OSError) as error:
            failures += 1
            if failures > RETRIES:
                raise DeliveryFailed(message["To"]) from error
            sleep(RETRY_WAIT_SECONDS * failures)
