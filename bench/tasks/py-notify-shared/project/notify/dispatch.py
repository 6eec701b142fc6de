"""Sends messages through the channels people chose."""


class Dispatcher:
    def __init__(self, channels):
        self.channels = {channel.name: channel for channel in channels}

    def notify(self, person, text):
        """Send a text to a person, given as {"address": ..., "channels": [...]}."""
        for name in person["channels"]:
            self.channels[name].send(person["address"], text)

    def counts(self):
        """Return how many messages went through each channel."""
        return {name: len(channel.sent) for name, channel in self.channels.items()}
