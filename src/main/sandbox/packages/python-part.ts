import { textsBetween } from '../../lib/text-between.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { parseToml, tomlTable, type TomlTable } from '../../lib/files/parse-toml.ts';
import { memo } from '../../lib/memo.ts';
import type { FolderPart, ProjectTexts } from './dependency-part.ts';
import type { ProjectTop } from './package-files.ts';
import { hostsIn, withoutComments } from './source-hosts.ts';

const python = '/deps/python/bin/python';
const pip = `${python} -m pip`;
/** The package manager gets its own folder beside the copy, so that its packages do not mix with the project's. */
const toolFor = (name: string): string => `python3 -m venv ../tools && ../tools/bin/pip install ${name}`;

const plain = 'python3 -m venv /deps/python';
/** The test runner for projects that do not name one. */
const runner = `${pip} install pytest`;

/** How to install the packages of a Python project. Null if it has none and is no package itself. */
export function findPythonPart(top: ProjectTop, own: string | undefined): FolderPart | null {
  const { texts } = top;
  const files = [...texts.keys()].filter((name) => isPythonFile(name));
  if (own !== undefined) return part('own command', files, { texts, commands: [plain, own], isNeeded: true });
  if (files.length === 0) return null;
  return locked(top, files) ?? unlocked(top, files);
}

function isPythonFile(name: string): boolean {
  return (
    /(?:\.txt|\.in|\.py|\.cfg|\.toml|\.ini)$/.test(name) ||
    ['uv.lock', 'poetry.lock', 'Pipfile', 'Pipfile.lock'].includes(name)
  );
}

function locked({ texts }: ProjectTop, all: readonly string[]): FolderPart | null {
  const self = isPackage(texts) ? [`${pip} install --no-deps .`] : [];
  const lockFiles = (...names: readonly string[]): readonly string[] =>
    all.filter((name) => names.includes(name) || ['pyproject.toml', 'setup.py', 'setup.cfg'].includes(name));
  if (texts.has('uv.lock')) {
    const sync =
      'UV_PROJECT_ENVIRONMENT=/deps/python ../tools/bin/uv sync --frozen --inexact --no-install-project --all-extras --all-groups --python python3';
    return part('uv', lockFiles('uv.lock'), {
      texts,
      commands: [plain, toolFor('uv'), sync, ...self, runner],
      isNeeded: true,
    });
  }
  if (texts.has('poetry.lock')) {
    const sync = 'VIRTUAL_ENV=/deps/python ../tools/bin/poetry install --no-root --all-extras --no-interaction';
    return part('poetry', lockFiles('poetry.lock'), {
      texts,
      commands: [plain, toolFor('poetry'), sync, ...self, runner],
      isNeeded: true,
    });
  }
  if (texts.has('Pipfile.lock')) {
    const sync = 'VIRTUAL_ENV=/deps/python PIPENV_VERBOSITY=-1 ../tools/bin/pipenv sync --dev';
    return part('pipenv', lockFiles('Pipfile', 'Pipfile.lock'), {
      texts,
      commands: [plain, toolFor('pipenv'), sync, ...self, runner],
      isNeeded: true,
    });
  }
  return null;
}

function unlocked({ texts, names }: ProjectTop, all: readonly string[]): FolderPart | null {
  const lists = wantedLists(texts);
  const isSelf = isPackage(texts);
  const tox = toxRequirements(texts.get('tox.ini') ?? '', lists, texts);
  if (lists.length === 0 && !isSelf) return null;
  const { extras, groups } = wantedExtras(texts);
  const commands = [plain];
  // pip supports groups since 25.1.
  if (groups.length > 0) commands.push(`${pip} install --upgrade pip`);
  const wanted = [
    ...lists.map((name) => `-r ${name}`),
    ...(isSelf ? [quoted(extras.length > 0 ? `.[${extras.join(',')}]` : '.')] : []),
    ...groups.map((name) => `--group ${name}`),
  ];
  // pip does not install anything without a hash together with a list that has hashes.
  const isHashed = lists.some((name) => /--hash[= ]/.test(texts.get(name) ?? ''));
  const runs = isHashed
    ? [...lists.map((name) => `-r ${name}`), ...(isSelf ? ['--no-deps .'] : [])]
    : [wanted.join(' ')];
  for (const words of runs) commands.push(`${pip} install ${words}`);
  const more = [...new Set(tox)].filter((name) => !/^pytest\b/.test(name));
  if (more.length > 0) commands.push(`${pip} install ${more.map(quoted).join(' ')}`);
  commands.push(runner);
  const isNeeded =
    lists.length > 0 || extras.length > 0 || groups.length > 0 || names.has('src/') || needsPackages(texts);
  const files = all.filter((name) => isWantedFile(name, lists) || (name === 'tox.ini' && more.length > 0));
  return part('pip', files, { texts, commands, isNeeded });
}

/**
 * Lists of what the project and its tests need, without those for documentation or releases. Lists for developers
 * are used only if there are none for tests, because they often pin one version of everything.
 */
function wantedLists(texts: ProjectTexts): readonly string[] {
  const found = [...texts.keys()].flatMap((name) => {
    const words = wordsOf(name);
    return words === null || (texts.get(name) ?? '').trim() === '' ? [] : [{ name, words }];
  });
  const of = (wanted: readonly string[]): readonly string[] =>
    found
      .filter(({ words }) => words.length > 0 && words.every((word) => wanted.includes(word)))
      .map(({ name }) => name);
  const plain = found.filter(({ words }) => words.every((word) => baseWords.includes(word)));
  const tests = of(testWords);
  return [...plain.map(({ name }) => name), ...(tests.length > 0 ? tests : of(developerWords))];
}

const baseWords: readonly string[] = ['base', 'main'];
const testWords: readonly string[] = ['test', 'tests', 'testing', 'ci'];
const developerWords: readonly string[] = ['dev', 'develop', 'development', ...testWords];

/** The words in a list's name other than `requirements`. Null for a file that is no list to install. */
function wordsOf(name: string): readonly string[] | null {
  // A number means that the list is for an old version of Python.
  if (!name.endsWith('.txt') || /constraints|\d/i.test(name)) return null;
  const words = name
    .replace(/\.txt$/, '')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.filter((word) => word !== '' && word !== 'requirements');
}

/** Lists may include others that are not wanted by themselves, so all of them count. */
function isWantedFile(name: string, lists: readonly string[]): boolean {
  return ['pyproject.toml', 'setup.py', 'setup.cfg'].includes(name) || (lists.length > 0 && /\.(?:txt|in)$/.test(name));
}

function isPackage(texts: ProjectTexts): boolean {
  if (texts.has('setup.py')) return true;
  const project = pyprojectOf(texts);
  return (
    [['project'], ['build-system'], ['tool', 'poetry']].some((names) => tomlTable(project, ...names) !== null) ||
    /^\[metadata\]/m.test(texts.get('setup.cfg') ?? '')
  );
}

const pyprojectOf = memo((texts: ProjectTexts): TomlTable => parseToml(texts.get('pyproject.toml') ?? ''));

const extraNames: readonly string[] = ['test', 'tests', 'testing', 'dev', 'develop'];

/** Optional packages that tests need, by the usual names. `dev` is used only if there is none for tests. */
function wantedExtras(texts: ProjectTexts): { readonly extras: readonly string[]; readonly groups: readonly string[] } {
  const project = pyprojectOf(texts);
  const names = [
    ...Object.keys(tomlTable(project, 'project', 'optional-dependencies') ?? {}),
    ...keysOf(section(texts.get('setup.cfg') ?? '', 'options.extras_require')),
    ...[...extrasOfSetup(texts.get('setup.py') ?? '').matchAll(/['"]([\w.-]+)['"]\s*:/g)].map(
      (match) => match[1] ?? '',
    ),
  ];
  return { extras: chosen(names), groups: chosen(Object.keys(tomlTable(project, 'dependency-groups') ?? {})) };
}

function extrasOfSetup(text: string): string {
  const [extras] = textsBetween(text, /extras_require\s*=\s*\{/g, '}');
  return extras?.inside ?? '';
}

function chosen(names: readonly string[]): readonly string[] {
  const found = extraNames.filter((name) => names.includes(name));
  const forTests = found.filter((name) => name.startsWith('test'));
  return forTests.length > 0 ? forTests : found.slice(0, 1);
}

/**
 * The lines of a section in `setup.cfg` or `tox.ini`. In Python's INI format, a value continues in indented lines.
 */
function section(text: string, name: string): string {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim().replaceAll(/\s/g, '') === `[${name}]`);
  if (start === -1) return '';
  const length = lines.slice(start + 1).findIndex((line) => /^\[[^\]]*\]\s*(?:#.*)?$/.test(line));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}

function keysOf(text: string): readonly string[] {
  return [...text.matchAll(/^"?([A-Za-z0-9._-]+)"?\s*=/gm)].map((match) => match[1] ?? '');
}

function needsPackages(texts: ProjectTexts): boolean {
  const project = pyprojectOf(texts);
  const declared = tomlTable(project, 'project')?.['dependencies'];
  return (
    (Array.isArray(declared) && declared.length > 0) ||
    tomlTable(project, 'tool', 'poetry', 'dependencies') !== null ||
    /install_requires/.test(texts.get('setup.py') ?? '') ||
    /^install_requires\s*=/m.test(texts.get('setup.cfg') ?? '')
  );
}

/** What tox installs for tests, if that is written plainly. Many older projects name it nowhere else. */
function toxRequirements(text: string, lists: readonly string[], texts: ProjectTexts): readonly string[] {
  const lines = section(text, 'testenv').split('\n');
  const start = lines.findIndex((line) => /^deps\s*=/.test(line));
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const length = rest.findIndex((line) => /^\S/.test(line));
  const deps = [(lines[start] ?? '').replace(/^deps\s*=/, ''), ...rest.slice(0, length === -1 ? undefined : length)];
  return deps.flatMap((line) => {
    const wanted = line.replace(/#[\s\S]*/, '').trim();
    const list = /^-r\s*(\S+)$/.exec(wanted)?.[1];
    if (list !== undefined) return lists.includes(list) ? [] : requirementsOf(texts.get(list) ?? '');
    return isPlainRequirement(wanted) ? [wanted] : [];
  });
}

function requirementsOf(text: string): readonly string[] {
  return withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter(isPlainRequirement);
}

function isPlainRequirement(text: string): boolean {
  return /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?\s*(?:[<>=!~]=?\s*[\w.*]+\s*(?:,\s*)?)*$/.test(text);
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text}'`;
}

function part(
  tool: string,
  files: readonly string[],
  rest: Pick<FolderPart, 'commands' | 'isNeeded'> & { readonly texts: ProjectTexts },
): FolderPart {
  const sources = files
    .filter((name) => /(?:\.txt|\.in|\.lock|^Pipfile)$/.test(name))
    .map((name) => withoutComments(rest.texts.get(name) ?? ''));
  return {
    ecosystem: 'python',
    tool,
    files,
    commands: rest.commands,
    isNeeded: rest.isNeeded,
    hosts: hostsIn([...sources, ...urlsIn(pyprojectOf(rest.texts))].join('\n')),
  };
}

/** Indexes and single packages have their address under `url`, in tables that differ between tools. */
function urlsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(urlsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'url' && typeof inner === 'string' ? [inner] : urlsIn(inner),
  );
}
