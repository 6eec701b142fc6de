from access.check import allowed_actions, can
from access.users import User


def test_member_may_read():
    assert can(User("mia", ["member"]), "post:read")


def test_member_may_not_ban():
    assert not can(User("mia", ["member"]), "user:ban")


def test_admin_may_read():
    assert can(User("ann", ["admin"]), "post:read")


def test_blocked_users_may_nothing():
    assert allowed_actions(User("eve", ["admin"], blocked=True)) == []
