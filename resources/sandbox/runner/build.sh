#!/bin/sh
# Builds the runner where the image is made. Static, so that it needs nothing of the image it runs in.
set -eu
cd -- "$(dirname -- "$0")"
mkdir -p /usr/local/lib/dewpoint
gcc -O2 -static -std=gnu11 -Wall -Wextra -o /usr/local/lib/dewpoint/runner ./*.c
strip /usr/local/lib/dewpoint/runner
chmod 755 /usr/local/lib/dewpoint/runner
