# Runs pytest repeatedly in forks of a process that has already imported it: 30 ms per run instead of 250. Reads one
# line per run from a pipe and writes the exit code to another. Processes that a run leaves behind are killed.
import os, signal, sys, time

requests, results, out, limit = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
args = sys.argv[5:]
sys.path[0] = os.getcwd()
import pytest
from _pytest.config import get_config
get_config()

def run():
    child = os.fork()
    if child == 0:
        os.setpgrp()
        sys.dewpoint_runner = os.getpid()
        sink = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        code = 3
        try:
            code = int(pytest.main(args))
        except BaseException as error:
            print(type(error).__name__, error)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            stop(child)
            return os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8
        time.sleep(0.004)
    stop(child)
    os.waitpid(child, 0)
    return 124

def stop(child):
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        pass

with open(results, "w") as answers, open(requests) as lines:
    answers.write("ready\n")
    answers.flush()
    for line in lines:
        if line.strip() == "quit":
            break
        answers.write("%d\n" % (run() & 255))
        answers.flush()
