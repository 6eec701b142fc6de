# The start-up file that `finish-install.py` puts into a prepared environment: it finds the project's own modules.
import json, os, sys
from importlib.machinery import PathFinder
def _project(marks, below):
    named = os.environ.get('DEWPOINT_PROJECT')
    if named:
        return named
    folder = os.getcwd()
    while True:
        place = os.path.normpath(os.path.join(folder, below))
        if marks and all(os.path.exists(os.path.join(place, mark)) for mark in marks):
            return place
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.normpath(os.path.join('/workspace', below))
        folder = above
class _Built:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [os.path.join(_built, *name.split('.')[:-1])])
_built = os.path.join(sys.prefix, 'dewpoint-built')
try:
    with open(os.path.join(os.path.dirname(__file__), 'dewpoint_project.json')) as _file:
        _facts = json.load(_file)
    if _facts['roots']:
        _folder = os.environ['DEWPOINT_PROJECT'] = _project(_facts['marks'], _facts['below'])
        sys.path.extend(os.path.normpath(os.path.join(_folder, root)) for root in _facts['roots'])
        if os.path.isdir(_built):
            sys.meta_path.append(_Built)
except OSError:
    pass
