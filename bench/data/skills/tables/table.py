"""Filters, joins, groups and counts the rows of a CSV, TSV, semicolon or JSONL file."""
import argparse
import csv
import json
import math
import re
import sys


def stop(text):
    sys.exit(text)


def read(path):
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            first = file.read(65536)
            file.seek(0)
            if first.lstrip().startswith("{"):
                rows = [json.loads(line) for line in file if line.strip()]
                return [{key: plain(value) for key, value in row.items()} for row in rows]
            if first.lstrip().startswith("["):
                return [{key: plain(value) for key, value in row.items()} for row in json.load(file)]
            head = first.split("\n", 1)[0]
            sign = max(",;\t|", key=head.count)
            return [{key.strip(): (value or "").strip() for key, value in row.items() if key} for row in csv.DictReader(file, delimiter=sign)]
    except (OSError, ValueError, AttributeError, csv.Error) as error:
        stop(f"{path} cannot be read as a table: {error}")


def plain(value):
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def number(text):
    try:
        found = float(text)
        return found if math.isfinite(found) else None
    except ValueError:
        pass
    try:
        return float(text.replace(",", "")) if re.fullmatch(r"-?\d{1,3}(,\d{3})*(\.\d+)?", text) else None
    except ValueError:
        return None


def column(rows, name):
    known = list(rows[0]) if rows else []
    if name in known:
        return name
    alike = [one for one in known if one.lower() == name.strip().strip("'\"").lower()]
    if alike:
        return alike[0]
    return stop(f'There is no column "{name}". There are: {", ".join(known)}.')


def keeps(rows, condition):
    match = re.fullmatch(r"\s*(.+?)\s*(!=|<=|>=|==|=|<|>|~)\s*(.*?)\s*", condition)
    if match is None:
        stop(f'"{condition}" is no condition. Write it like --where "column=value".')
    name, sign, wanted = match.groups()
    if len(wanted) > 1 and wanted[0] == wanted[-1] and wanted[0] in "'\"":
        wanted = wanted[1:-1]
    name = column(rows, name)
    kept = [row for row in rows if holds(row[name], sign, wanted)]
    if not kept:
        values = sorted({row[name] for row in rows})
        stop(f'No row has {name} {sign} {wanted}. Values of it: {", ".join(values[:12])}{" ..." if len(values) > 12 else ""}')
    return kept


def holds(value, sign, wanted):
    if sign == "~":
        return wanted.lower() in value.lower()
    left, right = number(value), number(wanted)
    if left is None or right is None:
        left, right = value, wanted
        if value == "" and sign not in ("=", "==", "!="):
            return False
    if sign in ("=", "=="):
        return left == right
    if sign == "!=":
        return left != right
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]


def figure(rows, kind, name):
    if kind == "count":
        return len(rows)
    values = [one for one in (number(row[column(rows, name)]) for row in rows) if one is not None]
    if not values:
        stop(f'The column "{name}" has no numbers.')
    if kind == "mean":
        return math.fsum(values) / len(values)
    return {"sum": math.fsum, "min": min, "max": max}[kind](values)


def shown(value):
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else f"{value:.6f}".rstrip("0").rstrip(".")


def joined(rows, path, on):
    left, _, right = on.partition("=")
    others = read(path)
    left, right = column(rows, left.strip()), column(others, (right or left).strip())
    found = {}
    for other in others:
        found.setdefault(other[right], []).append(other)
    return [{**other, **row} for row in rows for other in found.get(row[left], [])]


def describe(path, rows):
    print(f"{path}: {len(rows)} rows")
    for name in rows[0] if rows else []:
        values = [row[name] for row in rows]
        numbers = [one for one in map(number, values) if one is not None]
        if len(numbers) == len(values):
            print(f"  {name}: numbers from {shown(min(numbers))} to {shown(max(numbers))}")
        else:
            different = list(dict.fromkeys(values))
            print(f"  {name}: {len(different)} different texts, such as {', '.join(different[:6])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--where", action="append", default=[])
    parser.add_argument("--join")
    parser.add_argument("--on", default="")
    parser.add_argument("--by")
    parser.add_argument("--count", action="store_true")
    for kind in ("sum", "mean", "min", "max"):
        parser.add_argument(f"--{kind}")
    parser.add_argument("--sort")
    parser.add_argument("--names")
    parser.add_argument("--out")
    asked = parser.parse_args()
    rows = read(asked.file)
    if asked.join:
        rows = joined(rows, asked.join, asked.on)
    for condition in asked.where:
        rows = keeps(rows, condition)
    kinds = [(kind, getattr(asked, kind)) for kind in ("sum", "mean", "min", "max") if getattr(asked, kind)]
    if asked.count or (not kinds and (asked.by or asked.where)):
        kinds.append(("count", ""))
    if not kinds and not asked.out and not asked.sort:
        return describe(asked.file, rows)
    made = result(rows, asked, kinds)
    if asked.sort:
        name = column(made, asked.sort)
        made.sort(key=lambda row: (number(row[name]) is None, number(row[name]) or 0, row[name]))
    names = asked.names.split(",") if asked.names else list(made[0] if made else [])
    if asked.out:
        with open(asked.out, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(list(row.values()) for row in made)
        print(f"wrote {asked.out} with {len(made)} rows")
    for row in made[:40]:
        print("  ".join(f"{name} = {value}" for name, value in zip(names, row.values())))


def result(rows, asked, kinds):
    if not kinds:
        return rows
    label = {kind: kind if kind == "count" else f"{kind} of {name}" for kind, name in kinds}
    if not asked.by:
        return [{label[kind]: shown(figure(rows, kind, name)) for kind, name in kinds}]
    by = column(rows, asked.by)
    groups = {}
    for row in rows:
        groups.setdefault(row[by], []).append(row)
    made = [{by: value, **{label[kind]: shown(figure(own, kind, name)) for kind, name in kinds}} for value, own in groups.items()]
    first = label[kinds[0][0]]
    return sorted(made, key=lambda row: -(number(row[first]) or 0))


main()
