"""A tool for Dewpoint. It runs in the sandbox, never on your machine itself.

`tool` is read without running this file, so write it out: no calls, no f-strings.
`execute` gets the arguments; what it returns is the result. Print to see what it does.
"""

tool = {
    "name": "TOOL_NAME",
    "description": "Counts the lines and words of a text file in the workspace.",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "the file, from the workspace"}},
        "required": ["path"],
    },
    # With one of these it runs in a container of its own, without the files of the workspace:
    # "hosts": ["api.example.org"],
    # "secrets": ["API_TOKEN"],
    "timeout_seconds": 30,
}


def execute(arguments):
    with open(arguments["path"], encoding="utf-8") as file:
        text = file.read()
    return {"lines": len(text.splitlines()), "words": len(text.split())}
