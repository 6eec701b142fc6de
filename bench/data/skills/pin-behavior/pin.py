"""Writes pytest tests with what a function returns or raises now."""
import argparse
import ast
import copy
import importlib.util
import inspect
import os
import subprocess
import sys

MOST = 40


def load(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return name, module


def arguments(text):
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        try:
            tree = ast.parse(text, mode="eval").body
            if isinstance(tree, ast.Tuple):
                text = text[1:-1].strip().rstrip(",")
        except SyntaxError:
            pass
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        return [ast.literal_eval(one) for one in call.args], {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    except (SyntaxError, ValueError):
        print(f"left out, because it is no list of plain values: {text}")
        return None


def near(value):
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [value - 1, value, value + 1]
    if isinstance(value, float):
        return [value - 0.1, value, value + 0.1]
    return [value]


def varied(calls, constants):
    """Each example, and each example with one value near a limit of the code in it."""
    found = list(calls)
    for args, named in calls[:3]:
        for index, old in enumerate(args):
            for value in constants:
                same = type(old) is type(value) or (isinstance(old, (int, float)) and isinstance(value, (int, float)) and not isinstance(old, bool))
                if same:
                    found.append((args[:index] + [value] + args[index + 1 :], named))
    return found


def written(args, named):
    return ", ".join([repr(one) for one in args] + [f"{name}={value!r}" for name, value in named.items()])


def outcome(function, args, named):
    try:
        value = function(*copy.deepcopy(args), **copy.deepcopy(named))
    except Exception as error:
        return "raises", type(error)
    try:
        same = ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        same = False
    return ("returns", value) if same else ("unclear", value)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("function")
    parser.add_argument("--out", required=True)
    asked, rest = parser.parse_known_args()
    if not os.path.isfile(asked.file):
        sys.exit(f"There is no file \"{asked.file}\".")
    name, module = load(asked.file)
    function = getattr(module, asked.function, None)
    if not callable(function):
        known = [one for one in vars(module) if inspect.isfunction(getattr(module, one))]
        sys.exit(f"{asked.file} has no function \"{asked.function}\". It has: {', '.join(known)}.")
    calls = [one for one in map(arguments, rest) if one is not None]
    if not calls:
        sys.exit("Give at least one example call, such as '3, \"x\"'.")
    tree = ast.parse(inspect.getsource(function))
    constants = [near(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    lines, seen = [], set()
    for args, named in varied(calls, [one for values in constants for one in values]):
        text = written(args, named)
        if text in seen or len(lines) >= MOST:
            continue
        seen.add(text)
        kind, value = outcome(function, args, named)
        if kind == "unclear":
            print(f"left out, because its result cannot be written down: {asked.function}({text})")
            continue
        if kind == "raises":
            known = f"builtins.{value.__name__}" if value.__module__ == "builtins" else f"{name}.{value.__name__}"
            lines.append(f"    with pytest.raises({known.removeprefix('builtins.')}):\n        {name}.{asked.function}({text})")
        else:
            lines.append(f"    assert {name}.{asked.function}({text}) == {value!r}")
    tests = "\n\n\n".join(f"def test_{asked.function}_{index}():\n{line}" for index, line in enumerate(lines, start=1))
    with open(asked.out, "w", encoding="utf-8") as file:
        file.write(f"import pytest\n\nimport {name}\n\n\n{tests}\n")
    print("\n".join(lines))
    print(f"wrote {len(lines)} tests to {asked.out}")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", asked.out], capture_output=True, text=True)
    print(ran.stdout[-600:])


main()
