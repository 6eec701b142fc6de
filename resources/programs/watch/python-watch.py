# The `sitecustomize` of watched Python programs. On a signal it writes which test runs and where it stands; told to
# stop that test, it raises an error there, so that the runner reports it and goes on with the others. It starts no
# thread and opens no file before it is asked, because both would be seen by tests.
import os, sys

def _next():
    import importlib.machinery, importlib.util
    here = os.path.dirname(os.path.abspath(__file__))
    rest = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

class DoesNotEndError(BaseException):
    pass
DoesNotEndError.__module__ = "builtins"

def _watch(home):
    import atexit, signal
    root = os.getcwd() + os.sep
    owner = os.getpid()

    def own(code):
        path = os.path.abspath(code.co_filename)
        return path.startswith(root) and "site-packages" not in path and os.sep + "node_modules" not in path

    def place(frame, line=None):
        code = frame.f_code
        return "%s, line %d, in %s" % (os.path.abspath(code.co_filename)[len(root):], line or frame.f_lineno, code.co_name)

    def innermost(frame):
        while frame is not None and not own(frame.f_code):
            frame = frame.f_back
        return frame

    def named(frame):
        name, part = "", ""
        while frame is not None:
            code, local = frame.f_code, frame.f_locals
            file = os.path.basename(code.co_filename)
            do = code.co_name
            if do == "runtestprotocol" and file == "runner.py":
                return local["item"].nodeid
            if do == "run" and file == "case.py" and not name and hasattr(local.get("self"), "id"):
                name = local["self"].id()
            if do == "collect_one_node" and not part:
                part = "the import of " + (local["collector"].nodeid or "the tests")
            if do in ("_handleClassSetUp", "_handleModuleFixture", "_tearDownPreviousClass") and not part:
                part = "the set-up of " + type(local.get("test")).__name__
            if do in ("loadTestsFromName", "_find_test_path", "_find_tests") and file == "loader.py" and not part:
                part = "the import of " + str(local.get("name") or local.get("full_path") or "the tests")
            if do == "_shutdown" and file == "threading.py":
                return "the program after its tests"
            frame = frame.f_back
        return name or part

    def awaited(frame):
        while frame is not None and os.path.basename(frame.f_code.co_filename) != "base_events.py":
            frame = frame.f_back
        if frame is None:
            return None
        import asyncio
        loop = frame.f_locals.get("self")
        found = None
        for task in asyncio.all_tasks(loop):
            step = task.get_coro()
            while step is not None:
                at = getattr(step, "cr_frame", None)
                if at is not None and own(at.f_code):
                    found = at
                step = getattr(step, "cr_await", None)
        return found

    def elsewhere():
        import threading
        others = []
        for ident, frame in sys._current_frames().items():
            at = innermost(frame)
            if ident != threading.main_thread().ident and at is not None:
                others.append("A thread stands in %s." % place(at))
        return " ".join(others[:3])

    def ask(number, frame):
        __tracebackhide__ = True
        # What a test may have changed is not trusted, and an error here is never one of the test.
        try:
            name = named(frame)
            at = awaited(frame) or innermost(frame)
            where = "" if at is None else "It stands in %s." % place(at)
            where = " ".join(text for text in (where, elsewhere()) if text)
            base = "%s/%d" % (home, os.getpid())
            with open(base + ".next", "w") as seen:
                seen.write("%s\n%s\n" % (name.replace("\n", " "), where.replace("\n", " ")))
            os.replace(base + ".next", base + ".seen")
            with open(base + ".stop") as stop:
                seconds, wanted = stop.read().rstrip("\n").split(" ", 1)
            os.remove(base + ".stop")
            text = ("%s does not end. It was stopped after %s s. %s" % (name, seconds, where)).strip()
            if wanted == name:
                with open(home + "/said", "a") as said:
                    said.write("[dewpoint: %s]\n" % text.replace("\n", " "))
        except Exception:
            return
        if wanted != name:
            return
        # A copy that a test made of this process would go on with the other tests.
        if os.getpid() != getattr(sys, "dewpoint_runner", owner):
            os._exit(70)
        raise DoesNotEndError(text)

    try:
        signal.signal(62, ask)
        # Python gives the signal back as it ends, and whoever asked just before would end it with that signal's code.
        atexit.register(signal.signal, 62, signal.SIG_IGN)
    except (ValueError, OSError):
        pass

if os.environ.get("DEWPOINT_WATCH"):
    _watch(os.environ["DEWPOINT_WATCH"])
_next()
