import unittest

from report import by_path

LINES = ["GET /a 200 12ms", "GET /b 200 900ms", "started", "POST /a 500 40ms"]


class Report(unittest.TestCase):
    def test_counts_requests_by_path(self):
        self.assertEqual(by_path(LINES), {"/a": 2, "/b": 1})
