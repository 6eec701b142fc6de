# Runs the tests of files again and again with one literal of a call changed, records what they check instead of
# judging it, and prints a line `VARIANT TEST SEEN` for each. Only used in the recipe's copy. Arguments: the files.
import ast, asyncio, copy, hashlib, inspect, io, os, pathlib, re, signal, sys, tempfile, time, unittest

END = time.monotonic() + 10
MOST_WORK = 4
MOST = 60
SEEN = []

def note(value):
    SEEN.append(re.sub(r" at 0x[0-9a-f]+|/tmp/tmp\w+", "", repr(value))[:2000])
    return value

class Looks(ast.NodeTransformer):
    """An assertion looks at its left side; what was expected no longer holds. Fixtures become plain functions."""
    def visit_FunctionDef(self, node):
        plain = [one for one in node.decorator_list if "fixture" not in ast.unparse(one)]
        if len(plain) < len(node.decorator_list):
            plain.append(ast.Name("dewpoint_fixture", ast.Load()))
        node.decorator_list = plain
        return self.generic_visit(node)

    def visit_Assert(self, node):
        value = node.test.left if isinstance(node.test, ast.Compare) else node.test
        call = ast.Call(ast.Name("dewpoint_note", ast.Load()), [value], [])
        return ast.copy_location(ast.Expr(call), node)

def others(node):
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool) or value is None:
            return []
        if isinstance(value, (int, float)):
            made = [value + 1, value - 1, 0, -value, value * 10]
        elif isinstance(value, str):
            made = [value + value[-1:], " " + value, "", value[:-1], value.swapcase(), "é" + value]
        else:
            return []
        return [ast.Constant(one) for one in dict.fromkeys(made) if one != value]
    if isinstance(node, ast.List) and node.elts:
        items = node.elts
        made = [items[:-1], items[::-1], items + items[:1], []]
        return [ast.List(copy.deepcopy(one), ast.Load()) for one in made]
    return []

def skipped(tree):
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            out.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            out.update(ast.walk(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr.startswith("assert"):
                for one in node.args[1:]:
                    out.update(ast.walk(one))
            elif node.func.attr == "parametrize" and node.args:
                out.update(ast.walk(node.args[0]))
    return out

def variants(source):
    """The tree as it is, then with one literal altered: one way for every place before a second way for any."""
    base = ast.fix_missing_locations(Looks().visit(ast.parse(source)))
    yield base
    out = skipped(base)
    places = [(index, ways) for index, node in enumerate(ast.walk(base)) if node not in out and (ways := others(node))]
    rounds = max((len(ways) for _, ways in places), default=0)
    for turn in range(rounds):
        for index, ways in places:
            if turn < len(ways):
                tree = copy.deepcopy(base)
                old = list(ast.walk(tree))[index]
                for parent in ast.walk(tree):
                    for name, value in ast.iter_fields(parent):
                        if value is old:
                            setattr(parent, name, ways[turn])
                        elif isinstance(value, list):
                            value[:] = [ways[turn] if one is old else one for one in value]
                yield ast.fix_missing_locations(tree)

class Raised:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        note(kind and kind.__name__)
        self.exception = error
        return kind is not None

def look(self, *args, **kwargs):
    note(args[0] if args else None)

def raised(self, kind, call=None, *args, **kwargs):
    if call is None:
        return Raised()
    with Raised():
        call(*args, **kwargs)

for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, raised if "Raises" in name or "Warns" in name else look)

def fixture(call):
    call.dewpoint_fixture = True
    return call

def given(call, space, known):
    """What a test takes: its case, fixtures of its file, and the two of pytest that are plain values."""
    values = {}
    for name in inspect.signature(call).parameters:
        if name in known:
            values[name] = known[name]
        elif hasattr(space.get(name), "dewpoint_fixture"):
            made = space[name](**given(space[name], space, known))
            values[name] = next(made) if inspect.isgenerator(made) else made
        elif name == "tmp_path":
            values[name] = pathlib.Path(tempfile.mkdtemp())
        elif name == "monkeypatch":
            values[name] = sys.modules["pytest"].MonkeyPatch()
        else:
            raise LookupError(name)
    return values

def cases(test):
    """The values of parametrize, every set of one with every set of the others."""
    out = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names = mark.args[0] if not isinstance(mark.args[0], str) else re.split(r"\s*,\s*", mark.args[0].strip())
            rows = [getattr(row, "values", row) for row in mark.args[1]]
            rows = [row if len(names) > 1 or hasattr(row, "_fields") else (row,) for row in rows]
            out = [{**dict(zip(names, row)), **known} for row in rows for known in out]
    return out

def tests(space):
    for name, value in list(space.items()):
        if inspect.isclass(value) and value.__module__ == "dewpoint_varied":
            for method in [one for one in dir(value) if one.startswith("test")]:
                for known in cases(getattr(value, method)):
                    yield bound(value, method, space, known)
        elif name.startswith("test") and inspect.isfunction(value):
            for known in cases(value):
                yield lambda test=value, known=known: test(**given(test, space, known))

def bound(kind, method, space, known):
    def run():
        one = kind(method) if issubclass(kind, unittest.TestCase) else kind()
        for name in ("setUp", "setup_method"):
            if hasattr(one, name):
                getattr(one, name)()
        return getattr(one, method)(**given(getattr(one, method), space, known))
    return run

class Slow(BaseException):
    pass

def stop(*_):
    raise Slow()

def seen(test):
    SEEN.clear()
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        result = test()
        if inspect.iscoroutine(result):
            asyncio.run(result)
    except Slow:
        note("slow")
    except BaseException as error:
        SEEN.append("!" + type(error).__name__)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return SEEN

signal.signal(signal.SIGALRM, stop)
out = sys.stdout
sys.stdout = sys.stderr = io.StringIO()
sys.path[0] = os.getcwd()
for path in sys.argv[1:]:
    sys.path.insert(1, os.path.dirname(os.path.abspath(path)))
    with open(path, encoding="utf-8") as file:
        source = file.read()
    for index, tree in enumerate(variants(source)):
        if index > MOST or time.monotonic() > END or time.process_time() > MOST_WORK:
            break
        space = {"__name__": "dewpoint_varied", "__file__": os.path.abspath(path), "dewpoint_note": note, "dewpoint_fixture": fixture}
        try:
            exec(compile(tree, path, "exec"), space)
        except BaseException:
            continue
        for number, test in enumerate(tests(space)):
            told = seen(test)
            digest = hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:10]
            crash = "!" if told and told[-1].startswith("!") else ""
            print("@@seen", path, index, number, crash + digest, file=out, flush=True)
