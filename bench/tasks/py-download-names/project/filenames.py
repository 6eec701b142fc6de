"""Names for downloaded files."""

DOUBLE_ENDINGS = (".tar.gz", ".tar.bz2", ".tar.xz")
FORBIDDEN = '<>:"/\\|?*'


def clean(name):
    """Return the name with "_" for every character that a file name must not have."""
    return "".join("_" if char in FORBIDDEN else char for char in name).strip() or "download"


def split_ending(name):
    """Return the name without its ending, and the ending: ("a", ".tar.gz"), (".profile", "")."""
    for ending in DOUBLE_ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)], name[-len(ending) :]
    dot = name.rfind(".")
    return (name[:dot], name[dot:]) if dot > 0 else (name, "")


def unique_name(name, taken):
    """Return the name, with the first free number before its ending if it is taken.

    "report.pdf" becomes "report (1).pdf", then "report (2).pdf" and so on.
    `taken` can be any iterable of names.
    """
    taken = set(taken)
    stem, ending = split_ending(name)
    candidate = name
    number = 0
    while candidate in taken:
        number += 1
        candidate = f"{stem} ({number}){ending}"
    return candidate


def unique_names(names, taken=()):
    """Return a name for each of `names`, in order: none that is taken and none twice."""
    used = set(taken)
    chosen = []
    for name in names:
        free = unique_name(clean(name), used)
        used.add(free)
        chosen.append(free)
    return chosen
