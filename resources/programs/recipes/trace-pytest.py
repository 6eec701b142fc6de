# A pytest plugin on top of the tracer.
import pytest
import sitecustomize as tracer

failed = set()

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    tracer.begin()
    yield
    tracer.end(item.nodeid in failed)

def pytest_runtest_logreport(report):
    if report.failed:
        failed.add(report.nodeid)
