# Runs a Python program in the sandbox and gives it its tools. It checks the program without running it, runs the
# program's own tests in a separate process without tools, and then waits for permission to begin. It talks to Dewpoint
# in lines of JSON on the original standard input and output; what the program prints goes to standard error. Nothing
# here protects anything: the program may change all of it.
import posix, sys
HERE = posix.getcwd()
sys.path = [place for place in sys.path if place not in ("", ".") and not (place + "/").startswith(HERE + "/")]
import ast, importlib, importlib.machinery, importlib.util, json, linecache, os, threading, traceback
from concurrent.futures import ThreadPoolExecutor

NAME = "program.py"
MOST, MOST_IMPORTS = 1000000, 50
source = os.fdopen(os.dup(0), "rb")
sink = os.dup(1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)


def send(frame):
    data = json.dumps(frame, allow_nan=False, default=str).encode() + b"\n"
    if len(data) > MOST:
        raise ValueError("It has %d bytes as JSON. The limit is %d." % (len(data), MOST))
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view):]


def receive():
    line = source.readline()
    if not line:
        os._exit(70)
    return json.loads(line)


class ToolError(Exception):
    def __init__(self, tool, status, text):
        super().__init__("%s: %s: %s" % (tool, status, text))
        self.tool, self.status, self.text = tool, status, text


class Result(str):
    def json(self):
        return json.loads(self)


class Tools:
    def __init__(self):
        self._lock, self._last, self._waiting = threading.Lock(), 0, {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda **given: self.call(name, **given)

    def call(self, tool, /, **given):
        slot = [threading.Event(), None]
        with self._lock:
            send({"type": "call", "id": self._last + 1, "tool": tool, "input": given})
            self._last += 1
            self._waiting[self._last] = slot
        slot[0].wait()
        answer = slot[1]
        if answer["status"] != "ok":
            raise ToolError(tool, answer["status"], answer["text"])
        result = Result(answer["text"])
        result.data, result.exit_code = answer["data"], answer["exitCode"]
        return result

    def parallel(self, calls, errors="raise"):
        def one(call):
            try:
                return self.call(call[0], **dict(call[1]))
            except ToolError as error:
                return error
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(one, calls))
        failed = [result for result in results if isinstance(result, ToolError)]
        if failed and errors == "raise":
            raise failed[0]
        return results

    def _listen(self):
        while True:
            answer = receive()
            with self._lock:
                slot = self._waiting.pop(answer["id"])
            slot[1] = answer
            slot[0].set()


class NoTools:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise ToolError(name, "refused", "tests and imports call no tools; put what is to be done below: if __name__ == \"__main__\"")


def space_of(name, tools, given):
    return {"__name__": name, "tools": tools, "ToolError": ToolError, "arguments": given["arguments"], "state": given["state"]}


class Kept:
    """Programs that were kept, for those that import them."""

    def __init__(self, given):
        self.given, self.tools = given, NoTools()

    def find_spec(self, name, path=None, target=None):
        isKept = name in self.given["modules"] and name not in sys.stdlib_module_names
        return importlib.machinery.ModuleSpec(name, self) if isKept else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        text, tools = self.given["modules"][name], self.tools
        linecache.cache[name + ".py"] = (len(text), None, text.splitlines(True), name + ".py")
        module.__dict__.update(space_of(name, NoTools(), {"arguments": {}, "state": {}}))
        exec(compile(text, name + ".py", "exec"), module.__dict__)
        module.tools = tools


class Fresh(importlib.machinery.SourceFileLoader):
    """Reads the source, and never a compiled file beside it, which may hold something else."""

    def path_stats(self, path):
        raise OSError(path)


class Project:
    """Finds modules of the project, after all others, and never in place of one of the standard library."""

    loaders = ((importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES), (Fresh, importlib.machinery.SOURCE_SUFFIXES))

    def __init__(self, below):
        self.below = below

    def find_spec(self, name, path=None, target=None):
        if self.below != (path is not None) or name.split(".")[0] in sys.stdlib_module_names:
            return None
        spaces = []
        for place in [HERE] if path is None else [one for one in path if (one + "/").startswith(HERE + "/")]:
            spec = importlib.machinery.FileFinder(place, *self.loaders).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
            spaces += [] if spec is None else spec.submodule_search_locations
        if not spaces:
            return None
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = spaces
        return spec


def places_of(spec):
    """Where commands can write: the folders of a package, or the file of a module."""
    if spec is None:
        return []
    places = map(on_disk, list(spec.submodule_search_locations or []) or [spec.origin])
    return [one for one in places if one and not os.statvfs(one).f_flag & os.ST_RDONLY]


def on_disk(place):
    """A module may be inside of an archive."""
    while place and not os.path.exists(place):
        place = os.path.dirname(place)
    return place


def imports_of(tree):
    """By line: what is imported from where commands can write, which may be what an earlier command put there."""
    found = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            found += [(node.lineno, place) for place in places_of(importlib.util.find_spec(name.split(".")[0]))]
    return sorted(found)


class Named:
    """Finds from where commands can write only what the question named, and what that imports itself."""

    loaded = set()

    def __init__(self, finder, places):
        self.finder, self.places = finder, places

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        spec = self.finder.find_spec(name, path, target)
        for place in places_of(spec):
            if not any(place == one or place.startswith(one + "/") for one in self.places) and not self.is_inside():
                raise ImportError("%s was not named in the question, so it is not loaded. Import it by its name in the text of the program." % (os.path.relpath(place, HERE),))
        if spec is not None and places_of(spec):
            self.loaded.add(spec.origin)
        return spec

    def is_inside(self):
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename not in self.loaded:
            frame = frame.f_back
        return frame is not None


def tests_in(space):
    return [(name, test) for name, test in space.items() if name.startswith("test_") and callable(test)]


def run_tests(code, given):
    """In a process of its own: nothing of it is left for the program."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(sink)
        count, problems = 0, []
        try:
            space = space_of("program", NoTools(), given)
            if "def test_" in given["program"]:
                exec(code, space)
            tests = tests_in(space)
            for name in given["modules"]:
                tests += tests_in(vars(importlib.import_module(name)))
            for name, test in tests:
                count += 1
                try:
                    test()
                except BaseException as error:
                    at = failure(error)
                    problems.append("line %s: the test %s failed: %s" % (at["line"] or 1, name, at["error"][:300]))
        except BaseException as error:
            at = failure(error)
            problems.append("line %s: the tests could not begin: %s" % (at["line"] or 1, at["error"][:300]))
        sys.stdout.flush()
        os.write(write, json.dumps([count, problems[:20]]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    code = os.waitpid(child, 0)[1]
    return json.loads(said) if said else [0, ["line 1: a test ended the process (%s)" % (code,)]]


def problems_of(tree, known, announced):
    problems = []

    def tool(node, name):
        if name not in known:
            problems.append((node.lineno, "there is no tool %s" % (name,)))
        elif name not in announced:
            problems.append((node.lineno, "%s is not among the announced calls" % (name,)))
        else:
            return known[name]

    def given(node, spec, names, has_rest):
        taken, needed = spec.get("takes"), spec.get("needs", [])
        for name in names if taken is not None else []:
            if name not in taken:
                problems.append((node.lineno, "%s has no argument %s; it has: %s" % (spec["name"], name, ", ".join(taken))))
        for name in [] if has_rest else needed:
            if name not in names:
                problems.append((node.lineno, "%s needs the argument %s" % (spec["name"], name)))

    def is_tools(node):
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tools"

    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        for name in names:
            if importlib.util.find_spec(name.split(".")[0]) is None:
                problems.append((node.lineno, "there is no module %s" % (name.split(".")[0])))
        if is_tools(node) and node.attr not in ("call", "parallel"):
            tool(node, node.attr)
        if not isinstance(node, ast.Call) or not is_tools(node.func):
            continue
        called = node.func.attr
        if called == "parallel":
            for pair in ast.walk(node):
                if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and isinstance(pair.elts[0], ast.Constant) and isinstance(pair.elts[0].value, str):
                    spec = tool(pair, pair.elts[0].value)
                    keys = pair.elts[1].keys if isinstance(pair.elts[1], ast.Dict) else [None]
                    if spec and all(isinstance(key, ast.Constant) for key in keys):
                        given(pair, spec, [key.value for key in keys], False)
            continue
        words = [word.arg for word in node.keywords if word.arg is not None]
        has_rest = len(words) < len(node.keywords)
        if called == "call":
            if node.args and isinstance(node.args[0], ast.Constant):
                spec = tool(node, node.args[0].value)
                if spec:
                    given(node, spec, words, has_rest)
        elif node.args:
            problems.append((node.lineno, "%s takes its arguments by name" % (called,)))
        elif called in announced and called in known:
            given(node, known[called], words, has_rest)
    return ["line %d: %s" % problem for problem in sorted(problems)]


def ours(trace):
    return [frame for frame in traceback.extract_tb(trace) if frame.filename == NAME]


def failure(error):
    at = ours(error.__traceback__)
    lines = traceback.format_list(at[-6:])
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"type": "failed", "error": text[:4000], "line": at[-1].lineno if at else None, "trace": "".join(lines)[:4000]}


def main():
    given = receive()
    text = given["program"]
    kept = Kept(given)
    sys.meta_path[:0] = [kept, Project(True)]
    sys.meta_path.append(Project(False))
    linecache.cache[NAME] = (len(text), None, text.splitlines(True), NAME)
    tests, imports = 0, []
    try:
        tree = ast.parse(text, NAME)
        code = compile(tree, NAME, "exec")
        problems = problems_of(tree, given["tools"], given["announced"])
        for one in [] if problems else [tree, *map(ast.parse, given["modules"].values())]:
            imports += imports_of(one)
        if len(imports) > MOST_IMPORTS:
            problems = ["line 1: it imports more than %d files of the project" % (MOST_IMPORTS,)]
        if not problems and any("def test_" in one for one in (text, *given["modules"].values())):
            tests, problems = run_tests(code, given)
    except (SyntaxError, ValueError, RecursionError) as error:
        problems = ["line %s: %s" % (getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or error)]
    shown = [{"line": line, "path": os.path.relpath(place, HERE)[:200]} for line, place in imports[:MOST_IMPORTS]]
    send({"type": "checked", "problems": [problem[:400] for problem in problems[:20]], "tests": tests, "imports": shown})
    if problems:
        return
    receive()
    if given["leaves"]:
        places = [place for line, place in imports]
        sys.meta_path[:] = [one if one is kept else Named(one, places) for one in sys.meta_path]
    kept.tools = Tools()
    threading.Thread(target=kept.tools._listen, daemon=True).start()
    space = space_of("__main__", kept.tools, given)
    end = None
    try:
        exec(code, space)
    except SystemExit as error:
        if error.code not in (None, 0):
            end = {"type": "failed", "error": "It ended itself with: %s" % (error.code,), "line": None, "trace": ""}
    except BaseException as error:
        end = failure(error)
    sys.stdout.flush()
    sys.stderr.flush()
    if end is None:
        try:
            send({"type": "done", "value": space.get("result"), "state": space.get("state")})
        except BaseException as error:
            end = {"type": "failed", "error": "What it assigned to result cannot be given back: %s" % (error,), "line": None, "trace": ""}
    if end is not None:
        send(end)
    os._exit(0)


main()
