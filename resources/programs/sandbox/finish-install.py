# Run by the new environment's Python in the copy of the project, after everything is installed. An installed
# project is a snapshot: its tests would use that and not later changes. So files that came from the project are
# removed again. A start-up file of the environment adds the folders that they came from instead. These are folders
# of the project, or of the copy in which a trial runs: the folder above the working directory that looks like the
# project, or the project below that if it is not at the top of the workspace. What the build made and the project
# does not have (compiled modules, a file with the version) is kept apart and found last. The project's package
# names, version and commands stay as installed. Argument: the text of that start-up file.
import importlib.metadata, json, os, pathlib, re, shutil, sys, sysconfig
project = os.getcwd()
site = pathlib.Path(sysconfig.get_paths()['purelib'])
built = pathlib.Path(sys.prefix) / 'dewpoint-built'
roots, marks, left = [], [], []

def by_address():
    for found in importlib.metadata.distributions(path=[str(site)]):
        try:
            url = json.loads(found.read_text('direct_url.json') or '{}').get('url', '')
        except ValueError:
            url = ''
        if url.rstrip('/') == pathlib.Path(project).as_uri():
            return [str(file) for file in found.files or []]
    return None

# Without pyproject.toml and without wheel, pip runs "setup.py install", which notes no address. It leaves the
# folder with the package's name in the project, too, and lists what it installed from its own folder.
def by_name():
    own = {egg.name for place in ('.', '*') for egg in pathlib.Path(project).glob(place + '/*.egg-info')}
    for egg in sorted(site.glob('*.egg-info')):
        listed = egg / 'installed-files.txt'
        try:
            name = re.search('^Name: *(.+?) *$', (egg / 'PKG-INFO').read_text(errors='replace'), re.M)
            lines = listed.read_text(errors='replace').splitlines()
        except OSError:
            continue
        if name and re.sub('[^A-Za-z0-9.]+', '_', name.group(1)) + '.egg-info' in own:
            return [os.path.relpath(os.path.join(str(egg), line), str(site)) for line in lines if line]
    return None

def root_of(name):
    for place in ('.', 'src', 'lib', 'python', 'source'):
        if os.path.exists(os.path.join(project, place, name)):
            return place
    for place in sorted(os.listdir(project)):
        if not place.startswith('.') and os.path.exists(os.path.join(project, place, name)):
            return place
    return None

for file in by_address() or by_name() or []:
    parts = pathlib.PurePath(file).parts
    top = parts[0]
    path = site / file
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
    if root and os.path.exists(os.path.join(project, root, file)):
        path.unlink()
    else:
        target = built / file
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
(site / 'dewpoint_project.pth').write_text('import dewpoint_project\n')
(site / 'dewpoint_project.py').write_text(sys.argv[1])
for name in left:
    print('LEFT ' + name)
print('PACKAGES ' + str(sum(1 for _ in importlib.metadata.distributions(path=[str(site)]))))
