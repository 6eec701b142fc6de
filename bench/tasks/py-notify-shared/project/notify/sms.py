from notify.channel import Channel


class SmsChannel(Channel):
    name = "sms"
    max_length = 20
