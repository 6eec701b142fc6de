"""The question every request asks: may this user do that?"""

from access.roles import permissions_of


def can(user, action):
    """Tell whether one of the user's roles allows the action. Blocked users may nothing."""
    if user.blocked:
        return False
    return any(action in permissions_of(role) for role in user.roles)


def allowed_actions(user):
    """Return the sorted list of everything the user may do."""
    if user.blocked:
        return []
    actions = set()
    for role in user.roles:
        actions |= permissions_of(role)
    return sorted(actions)
