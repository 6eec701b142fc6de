from notify.dispatch import Dispatcher
from notify.email import EmailChannel
from notify.sms import SmsChannel


def test_messages_are_counted_by_channel():
    dispatcher = Dispatcher([EmailChannel("shop@example.com"), SmsChannel("SHOP")])
    dispatcher.notify({"address": "ada", "channels": ["email"]}, "Your parcel is on its way")
    assert dispatcher.counts() == {"email": 1, "sms": 0}
