import copy

import pytest
from access.check import allowed_actions, can
from access.roles import ROLES, permissions_of
from access.users import User


def test_admin_has_everything():
    assert allowed_actions(User("ann", ["admin"])) == [
        "comment:create",
        "comment:delete",
        "post:create",
        "post:edit",
        "post:read",
        "user:ban",
    ]


def test_nothing_flows_upwards():
    assert permissions_of("guest") == {"post:read"}
    assert not can(User("ed", ["editor"]), "comment:delete")


def test_long_chains():
    roles = {"r0": {"inherits": [], "may": {"base"}}}
    for level in range(1, 6):
        roles[f"r{level}"] = {"inherits": [f"r{level - 1}"], "may": {f"do{level}"}}
    assert permissions_of("r5", roles) == {"base", "do1", "do2", "do3", "do4", "do5"}


def test_roles_are_not_changed():
    before = copy.deepcopy(ROLES)
    permissions_of("admin").add("world:rule")
    assert ROLES == before


def test_unknown_role():
    with pytest.raises(KeyError):
        permissions_of("king")
