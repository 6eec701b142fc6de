"""The `todo` command."""

import argparse

from todo.store import PRIORITIES, TaskStore


def build_parser():
    parser = argparse.ArgumentParser(prog="todo")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="add a task")
    add.add_argument("title")
    add.add_argument("--priority", choices=PRIORITIES, default="normal")

    list_command = commands.add_parser("list", help="show the open tasks")
    list_command.add_argument("--all", action="store_true", help="show finished tasks too")
    list_command.add_argument("--priority", choices=PRIORITIES, help="show only these")
    return parser


def run(argv, store=None):
    """Run one command on a store and return the lines to print."""
    store = store if store is not None else TaskStore()
    options = build_parser().parse_args(argv)
    if options.command == "add":
        task = store.add(options.title, options.priority)
        return [f"added {task['title']}"]
    tasks = store.list(include_done=options.all, priority=options.priority)
    return [f"[{'x' if task['done'] else ' '}] {task['title']}" for task in tasks]
