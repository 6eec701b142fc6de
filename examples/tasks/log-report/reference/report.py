import argparse
import re
from collections import Counter

LINE = re.compile(r"^(?P<method>GET|POST|PUT|DELETE) (?P<path>\S+) (?P<status>\d{3}) (?P<ms>\d+)ms$")


def requests(lines):
    for line in lines:
        found = LINE.match(line.strip())
        if found is not None:
            yield found["path"], int(found["ms"])


def by_path(lines):
    return Counter(path for path, _ in requests(lines))


def slow_paths(lines, limit):
    longest = {}
    for path, ms in requests(lines):
        longest[path] = max(ms, longest.get(path, 0))
    slow = [(path, ms) for path, ms in longest.items() if ms > limit]
    return sorted(slow, key=lambda one: (-one[1], one[0]))


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("logfile")
    parser.add_argument("--slow", type=int, metavar="MS")
    options = parser.parse_args(arguments)
    with open(options.logfile, encoding="utf-8") as lines:
        rows = sorted(by_path(lines).items()) if options.slow is None else slow_paths(lines, options.slow)
        for path, number in rows:
            print(path, number)


if __name__ == "__main__":
    main()
