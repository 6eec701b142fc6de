#!/usr/bin/env bash
# A tool for Dewpoint. It runs in the sandbox, never on your machine itself.
# It reads its arguments as JSON from its input. What it prints is the result; what it prints to stderr is shown while it runs.
#
# /// dewpoint-tool
# name = "TOOL_NAME"
# description = "Counts the lines and words of a text file in the workspace."
# timeout_seconds = 30
# # With one of these it runs in a container of its own, without the files of the workspace:
# # hosts = ["api.example.org"]
# # secrets = ["API_TOKEN"]
#
# [input_schema]
# required = ["path"]
# properties.path = { type = "string", description = "the file, from the workspace" }
# ///
set -euo pipefail

path=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["path"])')
echo "lines: $(wc -l < "$path"), words: $(wc -w < "$path")"
