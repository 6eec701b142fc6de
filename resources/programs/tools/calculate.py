"""Runs the program that comes on standard input like a cell of a notebook: it prints the value of its last line, too."""
import ast
import linecache
import sys
import traceback

NAME = "program"


def main():
    source = sys.stdin.buffer.read().decode("utf-8", "replace")
    # An error shows the line that it is about.
    linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
    scope = {"__name__": "__main__"}
    try:
        tree = ast.parse(source, NAME)
        prints = any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))
        last = value_of_last(tree, prints)
        exec(compile(tree, NAME, "exec"), scope)
        value = None if last is None else eval(compile(last, NAME, "eval"), scope)
        if value is not None:
            print(value)
    except Exception as error:
        # Without the frames of this file.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != NAME:
            trace = trace.tb_next
        sys.stdout.flush()
        traceback.print_exception(type(error), error, trace)
        sys.exit(1)


def value_of_last(tree, prints):
    """Takes a last expression out of the program; of an assignment it is the name, if the program prints nothing."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        return ast.Expression(last.value)
    if isinstance(last, ast.Assign) and not prints and isinstance(last.targets[0], ast.Name):
        return ast.fix_missing_locations(ast.Expression(ast.Name(last.targets[0].id, ast.Load())))
    return None


main()
