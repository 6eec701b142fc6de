"""Replaces a whole name in all text files of the current folder, and says where."""
import os
import re
import sys

SKIPPED = {".git", "node_modules", "__pycache__", ".venv", "venv", "dist", "build", "target", "vendor"}
LARGEST = 5_000_000


def files(places):
    for place in places:
        if os.path.isfile(place):
            yield place
        elif not os.path.isdir(place):
            sys.exit(f"There is no file or folder \"{place}\".")
        for folder, names, found in os.walk(place):
            names[:] = sorted(name for name in names if name not in SKIPPED)
            yield from (os.path.join(folder, name) for name in sorted(found))


def pattern(old):
    """The whole name: a number with dots is one name, too."""
    before = r"(?<![\w.-])" if old[0].isdigit() else r"(?<![\w-])" if re.match(r"\w", old) else ""
    after = r"(?![\w]|[.-]\w)" if old[0].isdigit() else r"(?!\w|-\w)" if re.search(r"\w$", old) else ""
    return re.compile(before + re.escape(old) + after)


def main():
    words = sys.argv[1:]
    at = words.index("--only") if "--only" in words[2:] else len(words)
    if at != 2 or not words[0]:
        sys.exit("Write it like: replace.py 'OLD' 'NEW' [--only DIR FILE ...]")
    old, new = words[:2]
    if (old, new) == ("OLD", "NEW"):
        sys.exit("Nothing was changed. Put the old and the new text of the task in place of OLD and NEW.")
    whole = pattern(old)
    total, changed, longer = 0, [], []
    for path in files(words[3:] or ["."]):
        if os.path.islink(path) or os.path.getsize(path) > LARGEST:
            continue
        with open(path, "rb") as file:
            raw = file.read()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if "\0" in text or old not in text:
            continue
        after, count = whole.subn(lambda _: new, text)
        shown = os.path.relpath(path)
        if count:
            with open(path, "wb") as file:
                file.write(after.encode("utf-8"))
            total += count
            changed.append(f"{shown}: {count}")
        for index, line in enumerate(text.split("\n"), start=1):
            if old in whole.sub("", line):
                longer.append(f"{shown}:{index}: {line.strip()[:120]}")
    print(f"replaced {total} times in {len(changed)} files" + "".join(f"\n  {one}" for one in changed[:60]))
    if longer:
        print("left as they are, because there it is part of a longer name:" + "".join(f"\n  {one}" for one in longer[:20]))
    if not total:
        sys.exit(f"\"{old}\" stands nowhere as a whole name.")


main()
