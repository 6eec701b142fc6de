from notify.channel import Channel
from notify.dispatch import Dispatcher
from notify.email import EmailChannel
from notify.sms import SmsChannel


def test_channels_of_one_kind_are_separate():
    first, second = SmsChannel("A"), SmsChannel("B")
    first.send("x", "hi")
    assert first.sent == [("x", "hi")]
    assert second.sent == []


def test_nothing_is_left_from_others():
    EmailChannel("a").send("x", "hi")
    assert EmailChannel("b").sent == []
    assert Channel("c").sent == []


def test_several_messages_through_several_channels():
    dispatcher = Dispatcher([EmailChannel("shop"), SmsChannel("SHOP")])
    dispatcher.notify({"address": "ada", "channels": ["email", "sms"]}, "one")
    dispatcher.notify({"address": "bob", "channels": ["sms"]}, "two")
    assert dispatcher.counts() == {"email": 1, "sms": 2}
    assert dispatcher.channels["sms"].sent == [("ada", "one"), ("bob", "two")]


def test_texts():
    email = EmailChannel("shop")
    email.send("ada", "hello")
    assert email.sent == [("ada", "hello\n-- \nshop")]
    assert email.sender == "shop"
    assert SmsChannel("S").prepare("a" * 30) == "a" * 17 + "..."
