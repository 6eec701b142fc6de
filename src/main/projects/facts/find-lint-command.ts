import { parseToml, tomlTable } from '../../lib/files/parse-toml.ts';
import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import type { ProjectFacts } from './project-facts.ts';
import { readText, scriptOf } from './read-project-text.ts';

type Lint = NonNullable<ProjectFacts['lint']>;

const hasClippy = (text: string): boolean => /^\[(?:workspace\.)?lints(?:\.clippy)?\]/mu.test(text);
const hasFlake8 = (text: string): boolean => /^\[flake8\]/mu.test(text);

/** Read from the first of these files that exists and declares it. A file without a section counts if it exists. */
const declared: readonly (readonly [
  path: string,
  declares: ((text: string) => boolean) | null,
  runner: Exclude<Lint['runner'], 'npm'>,
])[] = [
  ['ruff.toml', null, 'ruff'],
  ['.ruff.toml', null, 'ruff'],
  ['pyproject.toml', (text) => tomlTable(parseToml(text), 'tool', 'ruff') !== null, 'ruff'],
  ['.flake8', null, 'flake8'],
  ['setup.cfg', hasFlake8, 'flake8'],
  ['tox.ini', hasFlake8, 'flake8'],
  // Every project in Go has these two checks.
  ['go.mod', null, 'go'],
  ['clippy.toml', null, 'cargo'],
  ['.clippy.toml', null, 'cargo'],
  ['Cargo.toml', hasClippy, 'cargo'],
  ['.rubocop.yml', null, 'rubocop'],
  ['phpstan.neon', null, 'phpstan'],
  ['phpstan.neon.dist', null, 'phpstan'],
];

/** Works however the linter is installed. Fixes nothing, and asks for one output format. */
const commands: Readonly<Record<Exclude<Lint['runner'], 'npm'>, string>> = {
  ruff: '$(command -v ruff || echo python3 -m ruff) check --no-fix --no-cache --force-exclude --output-format=concise',
  flake8: '$(command -v flake8 || echo python3 -m flake8)',
  go: [
    `files=$(gofmt -l . | grep -v '^vendor/')`,
    `[ -z "$files" ] || printf '%s\\n' "$files" | sed 's/$/:1:1: it is not formatted as gofmt does/'`,
    'go vet ./... && [ -z "$files" ]',
  ].join('; '),
  cargo: 'cargo clippy --quiet --all-targets --message-format short',
  rubocop: 'rubocop --format emacs --force-exclusion',
  phpstan: '$(test -x vendor/bin/phpstan && echo vendor/bin/)phpstan analyse --no-progress --error-format raw',
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
