from notify.channel import Channel


class EmailChannel(Channel):
    name = "email"

    def prepare(self, text):
        return f"{super().prepare(text)}\n-- \n{self.sender}"
