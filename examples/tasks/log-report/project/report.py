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


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("logfile")
    options = parser.parse_args(arguments)
    with open(options.logfile, encoding="utf-8") as lines:
        for path, count in sorted(by_path(lines).items()):
            print(path, count)


if __name__ == "__main__":
    main()
