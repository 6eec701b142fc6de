import os
import subprocess
import sys
import tempfile
import unittest

LINES = ["GET /a 200 12ms", "GET /b 200 900ms", "started", "POST /a 500 40ms", "GET /c 200 1500ms", "GET /b 200 1ms"]


class Hidden(unittest.TestCase):
    def run_report(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.log")
            with open(path, "w", encoding="utf-8") as log:
                log.write("\n".join(LINES) + "\n")
            done = subprocess.run([sys.executable, "report.py", *options, path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.split("\n")[:-1]

    def test_counts_without_the_option(self):
        self.assertEqual(self.run_report(), ["/a 2", "/b 2", "/c 1"])

    def test_prints_the_slowest_first(self):
        self.assertEqual(self.run_report("--slow", "30"), ["/c 1500", "/b 900", "/a 40"])

    def test_leaves_out_what_is_not_longer(self):
        self.assertEqual(self.run_report("--slow", "900"), ["/c 1500"])

    def test_prints_nothing_if_nothing_is_slow(self):
        self.assertEqual(self.run_report("--slow", "5000"), [])
