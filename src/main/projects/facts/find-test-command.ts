import { parseToml, tomlTable } from '../../lib/files/parse-toml.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import { findOtherTest } from './other-test-commands.ts';
import type { Language, ProjectFacts } from './project-facts.ts';
import { readText, scriptOf } from './read-project-text.ts';

interface Paths {
  readonly files: readonly string[];
  readonly testFiles: readonly string[];
  readonly languages: ProjectFacts['languages'];
}

/** The command that runs a project's tests and how it was found; null if there are no tests to run. */
export async function findTestCommand(
  projectFiles: SandboxFiles,
  paths: Paths,
  signal: AbortSignal,
): Promise<ProjectFacts['test']> {
  const own =
    (await fromPackage(projectFiles, paths, signal)) ??
    (await fromPython(projectFiles, paths, signal)) ??
    nodeTests(paths);
  const other = await findOtherTest(projectFiles, paths.files, signal);
  if (own === null || other === null) return own ?? other?.test ?? null;
  // A project in Go often has scripts in Python, or a package.json for its documents. The larger part decides.
  const python = own.runner === 'pytest' || own.runner === 'unittest';
  const ours: readonly Language[] = python ? ['python'] : ['javascript', 'typescript'];
  return bytesOf(paths, other.languages) > bytesOf(paths, ours) ? other.test : own;
}

function bytesOf({ languages }: Paths, wanted: readonly Language[]): number {
  return languages.reduce((sum, { language, bytes }) => (wanted.includes(language) ? sum + bytes : sum), 0);
}

async function fromPackage(
  projectFiles: SandboxFiles,
  paths: Paths,
  signal: AbortSignal,
): Promise<ProjectFacts['test']> {
  if (!paths.files.includes('package.json')) return null;
  const script = scriptOf(await readText(projectFiles, 'package.json', signal), 'test');
  if (script === null || /no test specified/u.test(script)) return null;
  // A plain `node --test` is run directly, because npm would only add its own lines to the output.
  const plain = /^node\s+(?:--test\b[^&|;]*)$/u.exec(script);
  if (plain !== null)
    return { command: withoutFolders(script, paths.files), runner: 'node-test', source: 'package.json: scripts.test' };
  return { command: 'npm test --silent', runner: 'npm', source: 'package.json: scripts.test' };
}

/**
 * Up to Node 20, `node --test test/` ran the tests of a folder. Later versions take it for the name of a module and
 * find none. The same as a pattern works in versions that know patterns, including the sandbox's.
 */
function withoutFolders(script: string, files: readonly string[]): string {
  return script.replaceAll(/(?<=\s)(?:\.\/)?([\w.@-]+(?:\/[\w.@-]+)*)\/?(?=\s|$)/gu, (word, folder: string) => {
    if (word.startsWith('-') || !files.some((file) => file.startsWith(`${folder}/`))) return word;
    const isAllTests = /(?:^|\/)test$/u.test(folder);
    return `"${folder}/**/${isAllTests ? '*' : '*{.,-,_}{test,spec}'}.{js,cjs,mjs,ts,cts,mts}"`;
  });
}

async function fromPython(
  projectFiles: SandboxFiles,
  paths: Paths,
  signal: AbortSignal,
): Promise<ProjectFacts['test']> {
  const tests = paths.testFiles.filter((path) => path.endsWith('.py'));
  if (tests.length === 0) return null;
  const config = ['pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py'].find((path) =>
    paths.files.includes(path),
  );
  if (config !== undefined) return pytest(config);
  for (const path of ['pyproject.toml', 'setup.cfg', 'tox.ini']) {
    if (!paths.files.includes(path)) continue;
    const text = await readText(projectFiles, path, signal);
    if (text !== null && setsUpPytest(path, text)) return pytest(path);
  }
  return (await usesUnittest(projectFiles, tests, signal))
    ? { command: unittestCommand(tests, paths.files), runner: 'unittest', source: 'the tests import unittest' }
    : pytest(tests[0] ?? 'test files');
}

function setsUpPytest(path: string, text: string): boolean {
  return path === 'pyproject.toml'
    ? tomlTable(parseToml(text), 'tool', 'pytest') !== null
    : /^\[(?:tool:pytest|pytest)\]/mu.test(text);
}

function pytest(source: string): ProjectFacts['test'] {
  return { command: 'python3 -m pytest -q', runner: 'pytest', source };
}

/** Only if every test that was examined uses unittest and none uses pytest. */
async function usesUnittest(
  projectFiles: SandboxFiles,
  tests: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  let sawUnittest = false;
  for (const path of tests.slice(0, 5)) {
    const text = await readText(projectFiles, path, signal);
    if (text === null) continue;
    if (/^[ \t]*(?:import|from)\s+pytest\b/mu.test(text) || /^def\s+test_/mu.test(text)) return false;
    if (/^[ \t]*(?:import|from)\s+unittest\b/mu.test(text)) sawUnittest = true;
  }
  return sawUnittest;
}

/**
 * Unittest looks by itself only into packages, and takes a folder that is none only as the top of what it imports. The
 * tests of another repository below do not hide those of the project.
 */
function unittestCommand(tests: readonly string[], files: readonly string[]): string {
  const isApart = tests.every((path) => path.includes('/'));
  const folder = ['tests', 'test'].find((name) => isApart && tests.some((path) => path.startsWith(`${name}/`)));
  if (folder === undefined) return 'python3 -m unittest';
  const top = files.includes(`${folder}/__init__.py`) ? ' -t .' : '';
  return `python3 -m unittest discover -s ${folder}${top}`;
}

function nodeTests(paths: Paths): ProjectFacts['test'] {
  const tests = paths.testFiles.filter(
    (path) => /\.(?:test|spec)\.[cm]?js$/u.test(path) || /^tests?\/.*\.[cm]?js$/u.test(path),
  );
  const first = tests[0];
  return first === undefined ? null : { command: 'node --test', runner: 'node-test', source: first };
}
