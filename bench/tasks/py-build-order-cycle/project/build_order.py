"""In which order the packages of the monorepo are built."""


class CircularDependency(Exception):
    """Raised when packages need each other in a circle."""


def build_order(dependencies):
    """Return all packages so that each comes after the ones it needs.

    `dependencies` maps a package to the packages it needs. A needed package
    without an entry of its own needs nothing.
    """
    order = []
    visited = set()

    def visit(package):
        if package in visited:
            return
        visited.add(package)
        for needed in dependencies.get(package, []):
            visit(needed)
        order.append(package)

    for package in dependencies:
        visit(package)
    return order
