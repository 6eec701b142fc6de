import { isOffered } from '@shared/safety/instruction-files.ts';

/** The kinds of guarded files: files that judge the work, or that steer tools and agents. */
export type GuardKind = 'test' | 'lock' | 'ci' | 'instructions' | 'dewpoint';

const lockNames: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'poetry.lock',
  'pdm.lock',
  'uv.lock',
  'pipfile.lock',
  'cargo.lock',
  'go.sum',
  'gemfile.lock',
  'composer.lock',
  'flake.lock',
];

const instructionNames: readonly string[] = [
  'agents.md',
  'claude.md',
  'gemini.md',
  'copilot-instructions.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
];

const ciNames: readonly string[] = [
  '.gitlab-ci.yml',
  '.travis.yml',
  'appveyor.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'jenkinsfile',
];

const ciFolders: readonly string[] = ['.github', '.circleci', '.buildkite', '.ci'];
const testFolders: readonly string[] = ['test', 'tests', '__tests__', 'spec', 'specs', 'e2e'];

const testName = /^(?:test_.*\.py|.*_test\.(?:py|go)|.*[.-](?:test|spec)\.[cm]?[jt]sx?|.*_spec\.rb)$/u;
/** Files that decide which tests run and how. Changing one can make a test pass like changing the test. */
const testSetupName =
  /^(?:conftest\.py|pytest\.ini|tox\.ini|\.coveragerc|(?:jest|vitest|playwright|karma)\.config\.[cm]?[jt]s|\.mocharc\..*)$/u;
/** Other files that a test runner, or the language below it, loads by itself. They have other uses, so nothing guards them. */
const loadedName =
  /^(?:\.pytest\.ini|\.?pytest\.toml|setup\.cfg|(?:site|user)customize\.py|bunfig\.toml|\.rspec(?:-local)?|phpunit\.xml(?:\.dist)?|\.mocharc|\.babelrc(?:\..*)?|jest\.config\.json|vitest\.workspace\..*|(?:ava|babel|cypress|vite)\.config\.[a-z]*)$/u;

/** The kind of guarded file at a path (relative to the workspace, with `/`); null for any other file. */
export function guardKind(path: string): GuardKind | null {
  const folders = path.toLowerCase().split('/');
  const name = folders.pop() ?? '';
  if (folders[0] === '.dewpoint' || name === '.dewpointignore') return 'dewpoint';
  if (isOffered(path.toLowerCase())) return 'instructions';
  if (ciNames.includes(name) || folders.some((folder) => ciFolders.includes(folder))) return 'ci';
  if (lockNames.includes(name)) return 'lock';
  if (instructionNames.includes(name) || folders.includes('.cursor')) return 'instructions';
  if (testSetupName.test(name) || testName.test(name)) return 'test';
  return folders.some((folder) => testFolders.includes(folder)) ? 'test' : null;
}

/** Whether a new file of this name may be added. A new test judges nothing yet, but test setup does. */
export function mayBeAdded(path: string): boolean {
  const name = path.split('/').pop() ?? '';
  return guardKind(path) === 'test' && !testSetupName.test(name.toLowerCase());
}

/** Whether a test runner loads a file of this name by itself, so that it can make any test pass. */
export function isLoadedByTests(name: string): boolean {
  return testSetupName.test(name.toLowerCase()) || loadedName.test(name.toLowerCase());
}

const article =
  '(?:a|an|the|some|more|new|missing|unit|integration|regression|few|two|three|several|additional|better|old|these|those|my|our|all|its|existing)';
const testTask = new RegExp(
  `\\b(?:write|add|create|extend|update|rewrite|rename|remove|delete|port|migrate|generate)\\s+(?:${article}\\s+){0,3}(?:test|tests|spec|specs|test cases?|test suite|coverage)\\b`,
  'iu',
);
const changing = /\b(?:write|add|create|extend|update|rewrite|rename|remove|delete|edit|change|modify|move)\b/iu;
const repairing = /\b(?:fail|fails|failing|failed|fix|bug|broken|pass|passes|red)\b/iu;

/**
 * Whether the words of a task are about files of this kind: "write a test for parse()" is about tests, "a test fails,
 * fix it" is not. A guarded file that the task names may be changed, but not a test that it names because it fails.
 */
export function isTaskAbout(task: string, kind: GuardKind, path: string): boolean {
  const named = names(task, path);
  switch (kind) {
    case 'test':
      return testTask.test(task) || (named && changing.test(task) && !repairing.test(task));
    case 'lock':
      return (
        named ||
        /\block ?files?\b|\b(?:upgrade|bump|install|update)\b.{0,200}\b(?:dependenc|package|version)/iu.test(task)
      );
    case 'ci':
      return named || /\b(?:ci|github actions?|workflows?|pipelines?)\b/iu.test(task);
    case 'instructions':
      return named || /\b(?:instruction files?|agent instructions)\b/iu.test(task);
    case 'dewpoint':
      return false;
    default:
      return kind satisfies never;
  }
}

/** Whether the work may add tests to a test file. A repair is judged by the tests as they are. */
export function mayGainTests(task: string): boolean {
  return !repairing.test(task);
}

function names(task: string, path: string): boolean {
  const words = task.toLowerCase();
  const name = path.toLowerCase().split('/').pop() ?? '';
  return words.includes(path.toLowerCase()) || (name.length > 3 && words.includes(name));
}

export function guardText(path: string, kind: GuardKind, outcome = 'was left as it is'): string {
  const what = {
    test: 'a test file that was there before, so it judges the work',
    lock: 'a lock file, which only its package manager writes',
    ci: 'a file of the CI',
    instructions: 'a file of instructions for agents',
    dewpoint: "one of Dewpoint's own files",
  } as const;
  return `${path} is ${what[kind]}. ${guardedWords} and ${outcome}.`;
}

/** What may be done to a test file all the same; empty: nothing, as in a repair. */
export function gainsText(path: string, task: string): string {
  if (!mayBeAdded(path)) return '';
  return mayGainTests(task)
    ? ' Allowed without asking: new tests at its end, and new import lines, where every old line stays as it is.'
    : ' Allowed without asking: a new test file beside it.';
}

/** Tells the refusal of a guarded file from others. */
export const guardedWords = 'It is guarded';
