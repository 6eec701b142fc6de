"""python3 -m newsletter.main issue.txt [--language de]"""

import argparse
import smtplib
from pathlib import Path

from newsletter.audience import audience
from newsletter.delivery import DeliveryFailed, deliver
from newsletter.render import render
from newsletter.settings import SMTP_HOST, SMTP_PORT
from newsletter.subscribers import load_subscribers
from newsletter.throttle import Throttle


class SmtpTransport:
    def __init__(self):
        self._server = smtplib.SMTP(SMTP_HOST, SMTP_PORT)

    def send(self, message):
        self._server.send_message(message)


def send_issue(issue, subscribers, transport, throttle):
    """Send an issue to all of them and return the addresses that did not work."""
    failed = []
    for subscriber in subscribers:
        throttle.wait()
        try:
            deliver(transport, render(issue, subscriber))
        except DeliveryFailed:
            failed.append(subscriber.email)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("issue", type=Path)
    parser.add_argument("--language")
    parser.add_argument("--subscribers", default="subscribers.csv")
    options = parser.parse_args()
    people = audience(load_subscribers(options.subscribers), options.language)
    failed = send_issue(options.issue.read_text("utf-8"), people, SmtpTransport(), Throttle())
    for address in failed:
        print(f"not delivered: {address}")


if __name__ == "__main__":
    main()
