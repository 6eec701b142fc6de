"""Roles and what they may do."""

ROLES = {
    "guest": {"inherits": [], "may": {"post:read"}},
    "member": {"inherits": ["guest"], "may": {"post:create", "comment:create"}},
    "editor": {"inherits": ["member"], "may": {"post:edit"}},
    "moderator": {"inherits": ["member"], "may": {"comment:delete"}},
    "admin": {"inherits": ["editor", "moderator"], "may": {"user:ban"}},
}


def permissions_of(role, roles=ROLES):
    """Return everything a role may do, inherited rights of all levels included."""
    if role not in roles:
        raise KeyError(f"unknown role {role!r}")
    granted = set(roles[role]["may"])
    for parent in roles[role]["inherits"]:
        granted |= roles[parent]["may"]
    return granted
