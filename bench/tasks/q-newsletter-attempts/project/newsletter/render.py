"""Turns an issue and a subscriber into a mail."""

from email.message import EmailMessage
from string import Template

from newsletter.settings import SENDER

FOOTER = "\n\nYou get this mail because you subscribed. To stop: reply with STOP."


def render(issue, subscriber):
    """Return the mail for one subscriber. The first line of the issue is the subject."""
    subject, _, body = issue.partition("\n")
    message = EmailMessage()
    message["From"] = SENDER
    message["To"] = subscriber.email
    message["Subject"] = subject.strip()
    text = Template(body.lstrip()).safe_substitute(name=subscriber.name)
    message.set_content(text + FOOTER)
    return message
