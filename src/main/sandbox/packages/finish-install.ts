/**
 * Run by the new environment's Python in the copy of the project, after everything is installed. An installed
 * project is a snapshot: its tests would use that and not later changes. So files that came from the project are
 * removed again. A start-up file of the environment adds the folders that they came from instead. These are folders
 * of the project, or of the copy in which a trial runs: the folder above the working directory that looks like the
 * project, or the project below that if it is not at the top of the workspace. What the build made and the project
 * does not have (compiled modules, a file with the version) is kept apart and found last. The project's package
 * names, version and commands stay as installed.
 */
export const finishPython = `import importlib.metadata, json, os, pathlib, shutil, sys, sysconfig
project = os.getcwd()
site = pathlib.Path(sysconfig.get_paths()['purelib'])
built = pathlib.Path(sys.prefix) / 'dewpoint-built'
roots, marks, left = [], [], []
own = None
for found in importlib.metadata.distributions(path=[str(site)]):
    try:
        url = json.loads(found.read_text('direct_url.json') or '{}').get('url', '')
    except ValueError:
        url = ''
    if url.rstrip('/') == pathlib.Path(project).as_uri():
        own = found

def root_of(name):
    for place in ('.', 'src', 'lib', 'python', 'source'):
        if os.path.exists(os.path.join(project, place, name)):
            return place
    for place in sorted(os.listdir(project)):
        if not place.startswith('.') and os.path.exists(os.path.join(project, place, name)):
            return place
    return None

for file in (own.files or []) if own else []:
    parts = file.parts
    top = parts[0]
    path = pathlib.Path(own.locate_file(file))
    if '..' in parts or top.endswith(('.dist-info', '.egg-info')) or not path.is_file() or '__pycache__' in parts:
        continue
    # The name of a compiled module at the top has the platform in it and is in no project.
    root = root_of(top)
    if root is None and len(parts) == 1 and top.endswith(('.so', '.py')):
        root = ''
    if root is None:
        if top not in left:
            left.append(top)
        continue
    if root and root not in roots:
        roots.append(root)
    if root and os.path.exists(os.path.join(project, root, str(file))):
        path.unlink()
    else:
        target = built / str(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(str(path), str(target))
    if root:
        shutil.rmtree(path.parent / '__pycache__', ignore_errors=True)
        for folder in path.parents:
            if folder == site or folder not in path.parents or any(folder.iterdir()):
                break
            folder.rmdir()
for mark in ('pyproject.toml', 'setup.py', 'setup.cfg'):
    if os.path.isfile(mark):
        marks.append(mark)
(site / 'dewpoint_project.json').write_text(json.dumps({'roots': roots, 'marks': marks[:1], 'below': os.environ['DEWPOINT_BELOW']}))
(site / 'dewpoint_project.pth').write_text('import dewpoint_project\\n')
(site / 'dewpoint_project.py').write_text('''import json, os, sys
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
''')
for name in left:
    print('LEFT ' + name)
print('PACKAGES ' + str(sum(1 for _ in importlib.metadata.distributions(path=[str(site)]))))
`;

/**
 * Run by bash in the copy of the project, after everything is installed. `$1` is the volume, and `$2` is the
 * folder's path in a session. Members of a workspace (npm, pnpm, yarn) are links from `node_modules` into the
 * project. In the volume they lead to the session's project, and a trial makes its own in its copy (`shareMembers`).
 * Packages in a member's own `node_modules` move to the top if the name is free there. Otherwise they are reported
 * (`APART`).
 */
export const finishJavascript = `set -u
inside() { # the part of the project that a link leads to; fails for what is no link to a member
  local to
  to=$(readlink -f "$1") || return 1
  case $to in "$PWD"/node_modules/* | */node_modules/*) return 1 ;; "$PWD"/*) printf '%s' "\${to#"$PWD"/}" ;; *) return 1 ;; esac
}
keep() { # entry, name
  local member
  if [ -L "$1" ] && member=$(inside "$1"); then
    [ -e "$volume/$2" ] && [ ! -L "$volume/$2" ] && return
    mkdir -p "$(dirname "$volume/$2")" && ln -sfn "$place/$member" "$volume/$2"
  elif [ ! -e "$volume/$2" ]; then
    mkdir -p "$(dirname "$volume/$2")" && cp -a "$1" "$volume/$2"
  elif ! cmp -s "$1/package.json" "$volume/$2/package.json"; then
    echo "APART $2"
  fi
}
volume=$1 place=$2
shopt -s nullglob
for link in node_modules/* node_modules/@*/*; do [ -L "$link" ] && keep "$link" "\${link#node_modules/}"; done
find . -path ./node_modules -prune -o -type d -name node_modules -prune -print | while IFS= read -r folder; do
  for entry in "$folder"/* "$folder"/@*/*; do
    name=\${entry#"$folder"/}
    case $name in @*/*) ;; @*) continue ;; esac
    keep "$entry" "$name"
  done
done
`;
