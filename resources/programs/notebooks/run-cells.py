# Runs cells of a notebook and sends their outputs, in the form of the file, as lines of JSON. It gets one line of JSON
# from its input: the cells, the kernel, and the seconds it has. With Jupyter in the image, its kernel runs them; else
# Python does, here.
import sys

folder = sys.path[0]
sys.path[:] = [path for path in sys.path if path not in ("", ".")]
import ast, asyncio, base64, builtins, collections, contextlib, inspect, io, json, linecache, os, re, signal, subprocess, threading, time, traceback, types

MOST_TEXT = 100_000
MOST_PICTURE = 2_000_000
MOST_ALL = 4_000_000
MOST_OUTPUTS = 1_000
MOST_KINDS = 50
MOST_SAID = 2_000_000
SAID_AT_ONCE = 1000

frames = os.fdopen(os.dup(1), "wb", 0)
job = json.loads(sys.stdin.buffer.readline())
ends_at = time.monotonic() + job["seconds"]
left = MOST_ALL
runner = os.getpid()


def json_bytes(value):
    """As the bytes that are sent. Half of a pair of characters is sent as an escape."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")


def send(**frame):
    # The line before may have been stopped in its middle.
    line = memoryview(b"\n" + json_bytes(frame) + b"\n")
    with locks["send"]:
        while line:
            line = line[frames.write(line) :]


# --- What a cell prints, while it runs

waiting = collections.deque()
said_all = {"left": MOST_SAID, "frames": 0}
locks = {}


def renew_locks():
    """A thread that a fork leaves behind may hold one."""
    locks.update(send=threading.Lock(), say=threading.Lock())
    waiting.clear()


def say(text):
    """At first each text at once, so that it is seen before a crash. Later several are sent together."""
    waiting.append(text[:4000])
    if said_all["frames"] < SAID_AT_ONCE:
        say_now()


def say_now():
    with locks["say"]:
        parts = []
        while waiting:
            parts.append(waiting.popleft())
        text = "".join(parts)
        if text == "" or said_all["left"] <= 0:
            return
        said_all["frames"] += 1
        said_all["left"] -= len(json_bytes(text))
        if said_all["left"] <= 0:
            text = "\n… (From here on, what is printed is shown when its cell ends.)\n"
        send(type="said", text=text)


def keep_saying():
    pause = threading.Event()
    while not pause.wait(0.1):
        say_now()


renew_locks()
os.register_at_fork(after_in_child=renew_locks)
threading.Thread(target=keep_saying, daemon=True).start()


# --- Outputs


def lines(text):
    return text.splitlines(keepends=True)


def size_text(count):
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{count // 1000 + 1} kB"


def joined(outputs):
    """The outputs, with what is printed in one piece, and without what is too many of them."""
    kept = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            last = kept[-1] if kept else None
            if last and last["output_type"] == "stream" and last["name"] == output["name"]:
                last["parts"].append(output["text"])
                last["dropped"] += output.get("dropped", 0)
            else:
                kept.append({"dropped": 0, **output, "parts": [output["text"]]})
        elif kind == "error":
            kept.append({**output, "ename": output["ename"][:200], "evalue": output["evalue"][:4000], "traceback": [line[:4000] for line in output["traceback"][:200]]})
        else:
            kept.append(output)
    if len(kept) > MOST_OUTPUTS:
        left_out.append(f"{TOO_LARGE}: {len(kept) - MOST_OUTPUTS} more outputs")
        # The last ones may say why the cell failed.
        del kept[MOST_OUTPUTS - 3 : -3]
    for output in kept:
        if output["output_type"] == "stream":
            output["text"] = "".join(output.pop("parts"))
    return kept


def fitted(outputs):
    """The outputs with what is too large cut, and with each text as a list of lines."""
    global left
    kept = []
    dropped = 0
    for output in joined(outputs):
        room = left
        if output["output_type"] == "stream":
            output["text"] = lines(cut(output["text"], output.pop("dropped")))
        elif "data" in output:
            values = {kind: fitted_value(kind, value) for kind, value in output["data"].items()}
            output["data"] = {kind: value for kind, value in values.items() if value is not None}
        # The whole counts, as it is sent: many small outputs are a large one.
        size = len(json_bytes(output))
        if size > room and output["output_type"] == "error":
            output.update(evalue=output["evalue"][:200], traceback=[line[:200] for line in output["traceback"][-1:]])
        elif size > room:
            left = room
            dropped += 1
            continue
        left = room - size
        kept.append(output)
    if dropped:
        left_out.append(f"{TOO_LARGE}: {dropped} of its outputs")
    return kept


def cut(text, dropped=0):
    """`dropped`: so many characters are missing already."""
    dropped += max(0, len(text) - MOST_TEXT)
    return text if dropped == 0 else f"{text[:MOST_TEXT]}\n… ({dropped} more characters were left out)\n"


def dropped_from(name, count):
    return {"output_type": "stream", "name": name, "text": "", "dropped": count}


def fitted_value(kind, value):
    global left
    if kind == "text/plain" and isinstance(value, str):
        value = cut(value)
    try:
        count = len(value if isinstance(value, str) else json.dumps(value, allow_nan=False))
    except ValueError:
        left_out.append(f"it has a number that JSON has no form for: {kind}")
        return None
    most = MOST_PICTURE if kind.startswith(("image/", "application/")) else MOST_TEXT + 100
    size = count if count > most else len(json_bytes(value))
    if count > most or size > left:
        left_out.append(f"{TOO_LARGE}: {kind} of {size_text(size)}")
        return None
    left -= size
    if not isinstance(value, str):
        return value
    return value if kind.startswith("image/") and kind != "image/svg+xml" else lines(value)


TOO_LARGE = "it is too large for the notebook"
MOST_REASONS = 20
left_out = []


def send_cell(cell, count, outputs, failed, stopped=False):
    try:
        outputs = json.loads(json.dumps(fitted(outputs), allow_nan=False))
    except Exception as error:
        left_out.clear()
        outputs = [plain_error("Unreadable", f"The outputs of this cell cannot be kept in a notebook ({type(error).__name__}).")]
    if left_out:
        reasons = left_out[:MOST_REASONS]
        if len(left_out) > MOST_REASONS:
            reasons.append(f"{TOO_LARGE}: {len(left_out) - MOST_REASONS} more of such outputs")
        text = "".join(f"(Left out, because {one}.)\n" for one in reasons)
        outputs.append({"output_type": "stream", "name": "stderr", "text": lines(text)})
        left_out.clear()
    say_now()
    send(type="cell", cell=cell, count=count, outputs=outputs, failed=failed, stopped=stopped)


# --- With Jupyter


def kernel_in_image():
    """The name of the kernel for the notebook. None: Jupyter is not in the image, or has no such kernel."""
    try:
        import ipykernel, nbclient  # noqa: F401
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return None
    specs = KernelSpecManager().find_kernel_specs()
    if job["kernel"] in specs:
        return job["kernel"]
    return "python3" if job["isPython"] and "python3" in specs else None


def run_with_jupyter(kernel):
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    said = {"count": 0, "dropped": 0}

    class Client(NotebookClient):
        def output(self, outs, msg, display_id, cell_index):
            content = msg.get("content", {})
            if msg["msg_type"] == "stream":
                room = max(0, MOST_TEXT - said["count"])
                said["dropped"] += max(0, len(content["text"]) - room)
                content["text"] = content["text"][:room]
                said["count"] += len(content["text"])
                if content["text"] == "":
                    return None
                say(content["text"])
            return super().output(outs, msg, display_id, cell_index)

    cells = [nbformat.v4.new_code_cell(one["source"], metadata={"tags": ["raises-exception"]} if one["mayFail"] else {}) for one in job["cells"]]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = Client(notebook, kernel_name=kernel, store_widget_state=False, startup_timeout=60)
    with client.setup_kernel():
        for index, one in enumerate(job["cells"]):
            said.update(count=0, dropped=0)
            client.timeout = max(1, int(ends_at - time.monotonic()))
            failed = stopped = False
            send(type="began", cell=one["cell"])
            try:
                client.execute_cell(cells[index], index)
            except CellTimeoutError:
                failed = stopped = True
            except (CellExecutionError, DeadKernelError) as error:
                failed = True
                if isinstance(error, DeadKernelError):
                    cells[index].outputs.append(plain_error("KernelEnded", "The kernel ended while this cell ran."))
            outputs = [dict(output) for output in cells[index].outputs]
            if said["dropped"] > 0:
                outputs.append(dropped_from("stdout", said["dropped"]))
            if stopped:
                outputs.append(stopped_error())
            send_cell(one["cell"], index + 1, outputs, failed, stopped)
            if failed:
                break


def plain_error(name, text):
    return {"output_type": "error", "ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}


def stopped_error():
    return plain_error("Stopped", f"Stopped after {job['seconds']} s.")


# --- With Python alone


class Stopped(BaseException):
    pass


class Said(io.TextIOBase):
    """What a cell prints, in order with what it displays."""

    def __init__(self, name):
        self.name_of = name
        self.room = MOST_TEXT
        self.dropped = 0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)
        if os.getpid() != runner:
            # A process that the cell began. What runs cells takes it from there.
            os.write(self.fileno(), text.encode(errors="replace"))
            return len(text)
        take = text[: max(0, self.room)]
        self.room -= len(take)
        self.dropped += len(text) - len(take)
        if take:
            shown.append({"output_type": "stream", "name": self.name_of, "text": take})
            say(take)
        return len(text)

    def fileno(self):
        return 1 if self.name_of == "stdout" else 2


shown = []
forms = [
    ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("text/latex", "_repr_latex_"),
]


def plain_data(bundle):
    """What a notebook can hold of it: bytes as base64, and nothing that JSON has no form for."""
    if not isinstance(bundle, dict):
        raise TypeError(f"An output is a dict of its forms, not {type(bundle).__name__}.")
    data = {}
    for kind, value in list(bundle.items())[:MOST_KINDS]:
        # Nobody but the cell that shows it knows what its parts do when they are read.
        with contextlib.suppress(Exception):
            if isinstance(value, (bytes, bytearray, memoryview)):
                value = base64.b64encode(value).decode()
            plain = value if type(value) is str else json.loads(json.dumps(value, allow_nan=False))
            data[str.__str__(kind)[:200]] = plain
    return data


def data_of(value):
    if is_figure(value):
        return figure_data(value)
    data = {}
    if not inspect.isclass(value):
        bundle = getattr(value, "_repr_mimebundle_", None)
        with contextlib.suppress(Exception):
            found = bundle() if callable(bundle) else None
            data.update(plain_data(found[0] if isinstance(found, tuple) else found or {}))
        for kind, name in forms:
            with contextlib.suppress(Exception):
                found = getattr(value, name)()
                found = found[0] if isinstance(found, tuple) else found
                if found is not None:
                    data.update(plain_data({kind: found}))
    with contextlib.suppress(Exception):
        data.setdefault("text/plain", str.__str__(repr(value)))
    return data or {"text/plain": f"<{type(value).__name__}>"}


def is_figure(value):
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def figure_data(figure):
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is not None:
        plots.close(figure)
    width, height = figure.get_size_inches() * figure.dpi
    axes = len(figure.axes)
    text = f"<Figure size {int(width)}x{int(height)} with {axes} Axes>"
    return {"image/png": base64.b64encode(out.getvalue()).decode(), "text/plain": text}


def show_figures(*_, **__):
    plots = sys.modules.get("matplotlib.pyplot")
    for number in plots.get_fignums() if plots is not None else []:
        shown.append({"output_type": "display_data", "data": figure_data(plots.figure(number)), "metadata": {}})


def display(*values, raw=False, **_):
    for value in values:
        data = (plain_data(value) or {"text/plain": "(An output in no form that a notebook holds.)"}) if raw else data_of(value)
        shown.append({"output_type": "display_data", "data": data, "metadata": {}})


class Rich:
    """Stands for the classes of IPython.display."""

    def __init__(self, data=None, *_, filename=None, **__):
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data = data

    def __repr__(self):
        return f"<{type(self).__name__}>"


class Image(Rich):
    def __init__(self, data=None, *_, filename=None, **__):
        super().__init__(data, filename=data if isinstance(data, str) and os.path.isfile(data) else filename)

    def _repr_mimebundle_(self):
        if not isinstance(self.data, bytes):
            return {"text/plain": f"(A picture that is not fetched: {self.data})"}
        kind = "image/jpeg" if self.data[:2] == b"\xff\xd8" else "image/gif" if self.data[:3] == b"GIF" else "image/png"
        return {kind: base64.b64encode(self.data).decode()}


def rich(name, kind):
    text = lambda self: self.data.decode() if isinstance(self.data, bytes) else str(self.data)
    return type(name, (Rich,), {"_repr_mimebundle_": lambda self: {kind: text(self)}})


def no_magic(*_, **__):
    raise RuntimeError("IPython is not in the sandbox, so its magics and settings cannot be used.")


def no_input(*_, **__):
    raise RuntimeError("Nobody can answer input() while cells run.")


def stand_in_for_ipython():
    try:
        import IPython  # noqa: F401

        return
    except ImportError:
        shown_module = types.ModuleType("IPython.display")
        shown_module.display, shown_module.Image = display, Image
        shown_module.clear_output = lambda *_, **__: shown.clear()
        for name, kind in (("HTML", "text/html"), ("Markdown", "text/markdown"), ("SVG", "image/svg+xml"), ("Latex", "text/latex"), ("Math", "text/latex")):
            setattr(shown_module, name, rich(name, kind))
        whole = types.ModuleType("IPython")
        whole.display, whole.get_ipython, whole.version_info = shown_module, lambda: None, (99, 0, 0)
        sys.modules.update({"IPython": whole, "IPython.display": shown_module})


ignored = re.compile(r"(\s*)%(matplotlib|config|load_ext|autoreload|reload_ext)\b.*")
timed = re.compile(r"(\s*)%%?(?:timeit|time)\b(?:\s+(?:-[a-z]*[nrp]\s*\d+|-[cotqv]+|--[\w-]+)(?=\s|$))*(.*)")
captured = re.compile(r"(\s*)%%capture\b.*")
shell = re.compile(r"(\s*)!(.+)")


def run_shell(command):
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    sys.stdout.write(done.stdout)


def plain_python(source):
    """The cell without the few magics that need no IPython. Other magics end the cell, with a sentence."""
    try:
        ast.parse(source)
        return source
    except SyntaxError:
        pass
    if re.match(r"\s*%%(bash|sh)\b", source):
        return f"__run_shell({source.split(chr(10), 1)[-1]!r})"
    done = []
    for line in source.split("\n"):
        if (found := ignored.fullmatch(line) or captured.fullmatch(line)) is not None:
            line = f"{found[1]}pass"
        elif (found := timed.fullmatch(line)) is not None:
            line = f"{found[1]}{found[2].strip() or 'pass'}"
        elif (found := shell.fullmatch(line)) is not None:
            line = f"{found[1]}__run_shell({found[2]!r})"
        elif (found := re.match(r"\s*(%%?\w+)", line)) is not None:
            raise RuntimeError(f"{found[1]} needs IPython, which is not in the sandbox. This runs Python, and !commands.")
        done.append(line)
    return "\n".join(done)


def run_cell(source, number, names):
    """The value of the last expression, unless a semicolon hides it."""
    name = f"<cell {number}>"
    code = plain_python(source)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    run_code(compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if last is None:
        return None
    value = run_code(compile(ast.Expression(last.value), name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    return None if code.rstrip().endswith(";") else value


loop = None


def run_code(code, names):
    global loop
    found = eval(code, names)
    if not code.co_flags & inspect.CO_COROUTINE:
        return found
    loop = loop or asyncio.new_event_loop()
    return loop.run_until_complete(found)


def run_with_python():
    drains = [Drain(1, "stdout"), Drain(2, "stderr")]
    sys.stdin = open(os.devnull)
    os.dup2(sys.stdin.fileno(), 0)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    main.__dict__.update(display=display, get_ipython=no_magic, __run_shell=run_shell)
    builtins.input = no_input
    os.environ["MPLBACKEND"] = "agg"
    os.environ.setdefault("MPLCONFIGDIR", "/tmp/matplotlib")
    stand_in_for_ipython()
    sys.path.insert(0, folder)
    signal.signal(signal.SIGALRM, stop_now)
    for count, one in enumerate(job["cells"], 1):
        send(type="began", cell=one["cell"])
        shown.clear()
        sys.stdout, sys.stderr = said = (Said("stdout"), Said("stderr"))
        plots = sys.modules.get("matplotlib.pyplot")
        if plots is not None:
            plots.show = show_figures
        failed = stopped = False
        try:
            signal.setitimer(signal.ITIMER_REAL, max(0.01, ends_at - time.monotonic()))
            failed = not ran(one, count, main)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Stopped:
            failed = stopped = True
            shown.append(stopped_error())
        except BaseException:
            # An alarm that the cell set, or an error that cannot even be read.
            failed = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            shown.append(plain_error("Unreadable", "The error of this cell cannot be read."))
        for drain in drains:
            drain.empty()
        for one_said in said:
            if one_said.dropped:
                shown.append(dropped_from(one_said.name_of, one_said.dropped))
        sys.stdout, sys.stderr = said
        send_cell(one["cell"], count, list(shown), failed, stopped)
        if stopped or (failed and not one["mayFail"]):
            break


def ran(one, count, main):
    """Whether the cell ran without an error. What the cell made reads its errors, too, so the time goes on."""
    try:
        value = run_cell(one["source"], one["cell"], main.__dict__)
        if value is not None:
            main._ = value
            shown.append({"output_type": "execute_result", "execution_count": count, "data": data_of(value), "metadata": {}})
        with warnings_off():
            show_figures()
        return True
    except Stopped:
        raise
    except BaseException as error:
        shown.append(error_output(error))
        return False


def warnings_off():
    import warnings

    return warnings.catch_warnings(action="ignore") if sys.version_info >= (3, 11) else contextlib.nullcontext()


def stop_now(*_):
    raise Stopped


def error_output(error):
    frame = error.__traceback__
    # Without the frames of this program.
    while frame is not None and not frame.tb_frame.f_code.co_filename.startswith("<cell "):
        frame = frame.tb_next
    name = said_by(lambda: type(error).__name__, "Error")
    said = said_by(lambda: str(error), "(This error cannot be read.)")
    text = said_by(lambda: "".join(traceback.format_exception(type(error), error, frame)), f"{name}: {said}")
    return {"output_type": "error", "ename": name, "evalue": said, "traceback": text.rstrip("\n").split("\n")}


def said_by(read, otherwise):
    try:
        return str.__str__(read())
    except Stopped:
        raise
    except BaseException:
        return otherwise


class Drain:
    """Takes what other programs and libraries print past Python, up to a mark that is written after each cell."""

    def __init__(self, number, name):
        self.number, self.name = number, name
        reader, writer = os.pipe()
        os.dup2(writer, number)
        os.close(writer)
        self.mark = os.urandom(16)
        self.dropped = 0
        self.seen = threading.Event()
        threading.Thread(target=self.read, args=[reader], daemon=True).start()

    def read(self, reader):
        held = b""
        total = 0
        while True:
            part = os.read(reader, 65536)
            held += part
            if self.mark in held:
                before, held = held.split(self.mark, 1)
                self.keep(before, total)
                if self.dropped:
                    shown.append(dropped_from(self.name, self.dropped))
                self.dropped = total = 0
                self.seen.set()
            elif len(held) > 65536:
                # The end may be the beginning of the mark.
                self.keep(held[:-16], total)
                total += len(held) - 16
                held = held[-16:]
            if part == b"":
                return

    def keep(self, part, total):
        text = part.decode(errors="replace")
        if total >= MOST_TEXT:
            self.dropped += len(text)
        elif part:
            shown.append({"output_type": "stream", "name": self.name, "text": text})

    def empty(self):
        self.seen.clear()
        with contextlib.suppress(OSError):
            os.write(self.number, self.mark)
            self.seen.wait(2)


kernel = kernel_in_image()
if kernel is not None:
    send(type="start", by="jupyter", kernel=kernel)
    with open(os.devnull, "r+b") as nowhere:
        for number in (0, 1, 2):
            os.dup2(nowhere.fileno(), number)
    run_with_jupyter(kernel)
    send(type="end")
elif not job["isPython"]:
    send(type="cannot")
else:
    send(type="start", by="python", kernel=f"Python {sys.version_info[0]}.{sys.version_info[1]}")
    run_with_python()
    send(type="end")
os._exit(0)
