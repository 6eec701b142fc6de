import { folderInstructions, instructionPaths, skillsIn } from '@shared/safety/instruction-files.ts';
import type { ListEntry, SandboxFiles } from '../../sandbox/sandbox.ts';
import { findLintCommand } from './find-lint-command.ts';
import { findTestCommand } from './find-test-command.ts';
import type { Language, ProjectFacts } from './project-facts.ts';

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 24;
/** The most paths in a list; `fileCount` is still the full number. */
const MAX_PATHS = 5_000;
/** More files that are neither source nor test are not named. */
const MAX_OTHERS = 12;

/**
 * Examines a project through its sandbox: names and sizes, and the few files that say how tests are run. A workspace
 * that cannot be listed gives empty facts, never an error; the agent then works without them.
 */
export async function gatherFacts(
  projectFiles: SandboxFiles,
  signal: AbortSignal,
  onPaths?: (paths: readonly string[]) => void,
): Promise<ProjectFacts> {
  const listing = await projectFiles.list('.', { depth: MAX_DEPTH, limit: MAX_ENTRIES }, signal);
  const entries = listing.ok ? listing.value.entries : [];
  const files = entries.filter((entry) => entry.kind === 'file');
  const testFiles = files.filter((file) => isTestFile(file.path)).map((file) => file.path);
  const sourceFiles = files
    .filter((file) => languageOf(file.path) !== 'other' && !isTestFile(file.path))
    .map((file) => file.path);
  const paths = files.map((file) => file.path);
  if (listing.ok) onPaths?.(paths);
  const known = new Set([...sourceFiles, ...testFiles]);
  const others = paths.filter((path) => !known.has(path));
  const inFolders = folderInstructions(paths);
  const skillFiles = skillsIn(paths).flatMap((skill) => skill.paths);
  const git = await projectFiles.stat('.git', signal);
  const languages = countLanguages(files);
  const lint = await findLintCommand(projectFiles, paths, signal);
  return {
    languages,
    fileCount: files.length,
    sourceFiles: sourceFiles.slice(0, MAX_PATHS),
    testFiles: testFiles.slice(0, MAX_PATHS),
    ...(others.length === 0 || others.length > MAX_OTHERS ? {} : { otherFiles: others }),
    test: await findTestCommand(projectFiles, { files: paths, testFiles, languages }, signal),
    ...(lint === null ? {} : { lint }),
    instructionFiles: instructionPaths(paths),
    ...(inFolders.length === 0 ? {} : { folderInstructions: inFolders }),
    ...(skillFiles.length === 0 ? {} : { skillFiles }),
    git: git.ok,
    truncated: listing.ok ? listing.value.truncated : false,
  };
}

const extensions: Readonly<Record<string, Language>> = {
  py: 'python',
  pyi: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescript',
  go: 'go',
  rs: 'rust',
  java: 'java',
  kt: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  php: 'php',
};

function languageOf(path: string): Language {
  const dot = path.lastIndexOf('.');
  return extensions[path.slice(dot + 1).toLowerCase()] ?? 'other';
}

const testName =
  /^(?:test_.*\.py|.*_test\.(?:py|go|rb|exs|dart)|.*_spec\.rb|.*Tests?\.(?:java|kt|cs|php)|conftest\.py|.*[.-](?:test|spec)\.[cm]?[jt]sx?|test\.[cm]?[jt]sx?)$/u;
const testFolders: readonly string[] = ['test', 'tests', '__tests__', 'spec', 'testdata'];

/** Whether a path is that of a test, by its name and its folders. */
export function isTestFile(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  if (testName.test(name)) return true;
  return languageOf(path) !== 'other' && folders.some((folder) => testFolders.includes(folder));
}

function countLanguages(files: readonly ListEntry[]): ProjectFacts['languages'] {
  const counts = new Map<Language, { files: number; bytes: number }>();
  for (const file of files) {
    const language = languageOf(file.path);
    const count = counts.get(language) ?? { files: 0, bytes: 0 };
    counts.set(language, { files: count.files + 1, bytes: count.bytes + file.sizeBytes });
  }
  return [...counts]
    .map(([language, count]) => ({ language, ...count }))
    .sort((left, right) => right.bytes - left.bytes || (left.language < right.language ? -1 : 1));
}
