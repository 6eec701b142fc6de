"""Who gets the newsletter."""

import csv
from dataclasses import dataclass


@dataclass
class Subscriber:
    email: str
    name: str
    confirmed: bool
    language: str = "en"
    bounces: int = 0


def load_subscribers(path):
    """Read the subscribers from a CSV file with a header."""
    with open(path, newline="", encoding="utf-8") as file:
        return [
            Subscriber(
                email=row["email"].strip().lower(),
                name=row["name"],
                confirmed=row["confirmed"] == "yes",
                language=row.get("language") or "en",
                bounces=int(row.get("bounces") or 0),
            )
            for row in csv.DictReader(file)
        ]
