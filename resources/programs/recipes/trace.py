# Traces Python tests without any package: the executed lines of the project's own files, split by whether the test
# failed. Loaded as `sitecustomize`, so that it works under any command that runs pytest or unittest.
import atexit, json, os, sys

ROOT = os.environ.get("DEWPOINT_ROOT", "")
OUT = os.environ.get("DEWPOINT_OUT", "")
counts = {}
totals = [0, 0]
current = None
own = {}

def is_own(name):
    known = own.get(name)
    if known is None:
        path = os.path.abspath(name)
        base = os.path.basename(path)
        known = path.startswith(ROOT + "/") and "site-packages" not in path and "node_modules" not in path
        known = known and not base.startswith("test_") and not base.endswith("_test.py") and base != "conftest.py"
        own[name] = path[len(ROOT) + 1:] if known else ""
        known = own[name]
    return known

def local(frame, event, arg):
    if event == "line" and current is not None:
        current.add((own[frame.f_code.co_filename], frame.f_lineno))
    return local

def tracer(frame, event, arg):
    if current is None or not is_own(frame.f_code.co_filename):
        return None
    current.add((own[frame.f_code.co_filename], frame.f_lineno))
    return local

def begin():
    global current
    import threading
    current = set()
    threading.settrace(tracer)
    sys.settrace(tracer)

def end(failed):
    global current
    sys.settrace(None)
    hits, current = current or set(), None
    totals[0 if failed else 1] += 1
    for hit in hits:
        counts.setdefault(hit, [0, 0])[0 if failed else 1] += 1

def dump():
    if totals == [0, 0]:
        return
    files = {}
    for (path, line), pair in counts.items():
        files.setdefault(path, {})[line] = pair
    with open(os.path.join(OUT, "trace-%d.json" % os.getpid()), "w") as out:
        json.dump({"failing": totals[0], "passing": totals[1], "files": files}, out)

def patch_unittest():
    import unittest.case as case
    original = case.TestCase.run
    def run(self, result=None):
        if current is not None or result is None:
            return original(self, result)
        before = len(getattr(result, "failures", [])) + len(getattr(result, "errors", []))
        begin()
        try:
            return original(self, result)
        finally:
            end(len(getattr(result, "failures", [])) + len(getattr(result, "errors", [])) > before)
    case.TestCase.run = run

if ROOT:
    atexit.register(dump)
    if "unittest" in " ".join(getattr(sys, "orig_argv", sys.argv)):
        patch_unittest()
