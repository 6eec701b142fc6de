"""Creates an issue on GitHub. With another host and address it fits other issue trackers.

Save a token that may write issues of the repository: dewpoint tools secret TOOL_NAME ISSUE_TOKEN
"""

import json
import os
import re
import urllib.error
import urllib.request

tool = {
    "name": "TOOL_NAME",
    "description": "Creates an issue in a GitHub repository, and gives its address.",
    "input_schema": {
        "type": "object",
        "properties": {
            "repository": {"type": "string", "description": "OWNER/NAME"},
            "title": {"type": "string"},
            "body": {"type": "string", "description": "Markdown"},
            "labels": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["repository", "title"],
    },
    "hosts": ["api.github.com"],
    "secrets": ["ISSUE_TOKEN"],
    "timeout_seconds": 30,
}


def execute(arguments):
    repository = arguments["repository"]
    if not re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", repository):
        raise SystemExit(f"{repository} is no repository. Write it as OWNER/NAME.")
    request = urllib.request.Request(
        f"https://api.github.com/repos/{repository}/issues",
        data=json.dumps({key: arguments[key] for key in ("title", "body", "labels") if key in arguments}).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['ISSUE_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            issue = json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"The service answered {error.code}: {error.read(2000).decode(errors='replace')}")
    return {"number": issue.get("number"), "address": issue.get("html_url")}
