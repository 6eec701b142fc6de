import { parseToml, tomlTable } from '../../lib/files/parse-toml.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import type { ProjectFacts } from './project-facts.ts';
import { readText, scriptOf } from './read-project-text.ts';

type Lint = NonNullable<ProjectFacts['lint']>;

const hasFlake8 = (text: string): boolean => /^\[flake8\]/mu.test(text);

/** Read from the first of these files that exists and declares it. A file without a section counts if it exists. */
const declared: readonly (readonly [
  path: string,
  declares: ((text: string) => boolean) | null,
  runner: 'ruff' | 'flake8',
])[] = [
  ['ruff.toml', null, 'ruff'],
  ['.ruff.toml', null, 'ruff'],
  ['pyproject.toml', (text) => tomlTable(parseToml(text), 'tool', 'ruff') !== null, 'ruff'],
  ['.flake8', null, 'flake8'],
  ['setup.cfg', hasFlake8, 'flake8'],
  ['tox.ini', hasFlake8, 'flake8'],
];

/** Works however the linter is installed. Fixes nothing, and asks for one output format. */
const commands: Readonly<Record<'ruff' | 'flake8', string>> = {
  ruff: '$(command -v ruff || echo python3 -m ruff) check --no-fix --no-cache --force-exclude --output-format=concise',
  flake8: '$(command -v flake8 || echo python3 -m flake8)',
};

/**
 * The command with which the project itself checks its sources; null if it declares none. Does not check whether it is
 * installed.
 */
export async function findLintCommand(
  projectFiles: SandboxFiles,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Lint | null> {
  const script = files.includes('package.json')
    ? scriptOf(await readText(projectFiles, 'package.json', signal), 'lint')
    : null;
  if (script !== null) return { command: 'npm run --silent lint', runner: 'npm', source: 'package.json: scripts.lint' };
  for (const [path, declares, runner] of declared) {
    if (!files.includes(path)) continue;
    const text = declares === null ? null : await readText(projectFiles, path, signal);
    if (declares === null || (text !== null && declares(text)))
      return { command: commands[runner], runner, source: path };
  }
  return null;
}
