"""Writes notes for users from the commits since a tag."""
import argparse
import os
import re
import subprocess
import sys

HIDDEN = {"chore", "ci", "test", "tests", "build", "refactor", "style", "docs", "doc", "deps", "lint", "meta", "internal"}
GROUPS = ["Breaking changes", "New", "Faster", "Fixed", "Changed"]


def git(*arguments):
    ran = subprocess.run(["git", *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace")
    return ran.stdout.strip() if ran.returncode == 0 else None


def group_of(kind, text, breaks):
    if breaks:
        return "Breaking changes"
    if kind in ("feat", "feature", "add"):
        return "New"
    if kind == "perf":
        return "Faster"
    if kind in ("fix", "bugfix", "hotfix"):
        return "Fixed"
    if re.match(r"(add|new|introduce|support|allow)\w*\b", text, re.I):
        return "New"
    if re.match(r"(fix|repair|correct|resolve)\w*\b", text, re.I):
        return "Fixed"
    return "Changed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since")
    parser.add_argument("--until", default="HEAD")
    parser.add_argument("--title")
    parser.add_argument("--out")
    asked = parser.parse_args()
    problems = []
    if asked.out in ("FILE.md", "FILE"):
        problems.append("Put the file that the task names in place of FILE.md.")
    since = asked.since or git("describe", "--tags", "--abbrev=0", f"{asked.until}^")
    if since is None:
        sys.exit("There is no tag before this state. Name a commit with --since.")
    for name in (since, asked.until):
        if git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") is None:
            tags = git("tag", "--sort=-creatordate") or "none"
            problems.append(f"There is no tag \"{name}\". Tags: {', '.join(tags.split()[:10])}")
    if problems:
        sys.exit("Nothing was written. " + " ".join(problems))
    log = git("log", "--no-merges", "--reverse", "--format=%s%x1f%b%x1e", f"{since}..{asked.until}") or ""
    groups, left = {}, []
    for entry in filter(None, (part.strip() for part in log.split("\x1e"))):
        subject, _, body = entry.partition("\x1f")
        match = re.match(r"([a-z]+)(\([^)]*\))?(!?):\s*(.+)", subject, re.I)
        kind, breaks, text = (match[1].lower(), match[3] == "!", match[4]) if match else ("", False, subject)
        breaks = breaks or "BREAKING CHANGE" in body
        if kind in HIDDEN and not breaks:
            left.append(subject)
            continue
        line = text[0].upper() + text[1:]
        groups.setdefault(group_of(kind, text, breaks), []).append(line if line.endswith((".", "!", "?")) else f"{line}.")
    if not groups:
        sys.exit(f"No commit since {since} changes what users see. Left out: {'; '.join(left) or 'nothing'}")
    title = asked.title or f"Changes since {since}"
    parts = [f"# {title}"] + [f"## {name}\n\n" + "\n".join(f"- {line}" for line in groups[name]) for name in GROUPS if name in groups]
    text = "\n\n".join(parts) + "\n"
    if asked.out:
        os.makedirs(os.path.dirname(asked.out) or ".", exist_ok=True)
        with open(asked.out, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {asked.out}:\n")
    print(text)
    if left:
        print("left out: " + "; ".join(left))


main()
