"""Copies files and keeps the version that was there before."""

import hashlib
import shutil


class CopyDamaged(Exception):
    """The copy is not what was read."""


def checksum(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def copy_file(source, target, path):
    """Copy one file and make sure that the copy is good."""
    destination = target / "current" / path
    destination.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source / path, destination)
    if checksum(source / path) != checksum(destination):
        raise CopyDamaged(path)


def retire_old_version(target, path, now):
    """Move the present copy, if any, to the folder of old versions of this day."""
    present = target / "current" / path
    if not present.exists():
        return
    old = target / "old" / now.strftime("%Y-%m-%d") / path
    old.parent.mkdir(parents=True, exist_ok=True)
    present.replace(old)
