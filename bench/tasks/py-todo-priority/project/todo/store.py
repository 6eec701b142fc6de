"""Tasks, kept in memory; `cli` reads and writes the file."""

PRIORITIES = ("low", "normal", "high")


class TaskStore:
    def __init__(self, tasks=None):
        self._tasks = list(tasks or [])

    def add(self, title, priority="normal"):
        """Add an open task and return it."""
        if priority not in PRIORITIES:
            raise ValueError(f"unknown priority {priority!r}")
        task = {"title": title, "priority": priority, "done": False}
        self._tasks.append(task)
        return task

    def finish(self, title):
        for task in self._tasks:
            if task["title"] == title:
                task["done"] = True

    def list(self, include_done=False):
        """Return the tasks in the order in which they were added."""
        return [task for task in self._tasks if include_done or not task["done"]]
