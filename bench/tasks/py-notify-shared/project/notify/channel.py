"""What all channels have in common."""


class Channel:
    """A way to reach people. Keeps a record of what was sent through it."""

    name = "channel"
    max_length = None
    sent = []

    def __init__(self, sender):
        self.sender = sender

    def prepare(self, text):
        """Return the text as this channel can carry it."""
        if self.max_length is not None and len(text) > self.max_length:
            return text[: self.max_length - 3] + "..."
        return text

    def send(self, recipient, text):
        self.sent.append((recipient, self.prepare(text)))
