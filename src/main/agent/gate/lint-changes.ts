import { z } from 'zod';
import type { ProjectFacts } from '../../projects/facts/project-facts.ts';
import type { ExecRequest, ExecResult } from '../../sandbox/sandbox.ts';
import { firstChangePerFile } from './changes-overview.ts';
import type { LintFinding } from './parse-lint-output.ts';
import { newFindings, parseLint } from './parse-lint-output.ts';
import type { TrialPaths } from '../../recipes/trial/trial-script.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';
import { setupScript } from '../../recipes/trial/trial-script.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';

const lintSchema = z.object({
  /** Why the linter could not run; null: it ran. */
  skipped: z.string().nullable(),
  /** The first findings that the linter did not report before the turn. */
  findings: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
  more: z.number(),
});
type LintLook = z.infer<typeof lintSchema>;

interface Look {
  readonly turn: Pick<Turn, 'files' | 'dependencies' | 'signal'>;
  readonly lint: NonNullable<ProjectFacts['lint']>;
  readonly copy: TrialPaths;
}

/** The findings, or as a text why the linter could not run. */
type Seen = readonly LintFinding[] | string;

const LIMIT_MS = 60_000;
const KEEP_BYTES = 2 * 1024 * 1024;
const MAX_FINDINGS = 10;
const MAX_NAMED_FILES = 200;
/** The most bytes of original files that are restored in the copy, all together. */
const MAX_BEFORE_BYTES = 8 * 1024 * 1024;

/**
 * What the project's own linter finds now and did not find at the start of the turn. It runs in a copy, so that a
 * linter that fixes files changes nothing here. Only if it finds something, it also runs on the original files. Null:
 * the project declares no linter. Runs as an action; a replay takes it from the log.
 */
export async function lintChanges(turn: ActingTurn & Pick<Turn, 'files' | 'found'>): Promise<LintLook | null> {
  const { facts } = turn.found;
  const lint = facts?.facts.lint;
  const scratch = facts?.sandbox.scratchPath ?? null;
  if (lint === undefined || scratch === null || facts?.sandbox.tier === 'read-only') return null;
  return takeAction<LintLook>(
    turn,
    {
      tool: 'lint_changes',
      label: `lint: ${lint.source}`,
      input: { command: lint.command },
      run: async () => {
        const copy = { trial: `${scratch}/lint`, workFolder: `${scratch}/lint-work` };
        const seen = await look({ turn, lint, copy });
        await shell(turn, { command: `rm -rf ${shellQuote(copy.trial)} ${shellQuote(copy.workFolder)}` });
        return resultOf(seen);
      },
    },
    (data) => (data === null ? { skipped: 'It could not be run.', findings: [], more: 0 } : lintSchema.parse(data)),
  );
}

function resultOf(seen: Seen): ActionResult<LintLook> {
  if (typeof seen === 'string') {
    return { status: 'ok', output: seen, data: { skipped: seen, findings: [], more: 0 } };
  }
  const findings = seen.slice(0, MAX_FINDINGS).map(({ path, line, text }) => ({ path, line, text }));
  const lines = findings.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const output = seen.length === 0 ? 'It finds nothing that was not there before.' : lines.join('\n');
  return { status: 'ok', output, data: { skipped: null, findings, more: seen.length - findings.length } };
}

async function look(one: Look): Promise<Seen> {
  const { turn, lint, copy } = one;
  const lasts = new Map(turn.files.changes.recorded().map(({ path, after }) => [path, after]));
  const sources = namedFiles(lint.runner);
  const named = [...lasts.keys()].filter((path) => sources?.test(path) === true).slice(0, MAX_NAMED_FILES);
  if (sources !== null && named.length === 0) return [];
  const setup = setupScript(turn.dependencies.sandbox.workspacePath, copy);
  const made = await shell(turn, { command: 'bash -s', stdin: Buffer.from(setup) });
  if (typeof made === 'string' || made.exitCode !== 0) return 'The project could not be copied for it.';
  const after = await lintOnce(
    one,
    named.filter((path) => lasts.get(path) !== null),
  );
  if (typeof after === 'string' || after.length === 0) return after;
  const script = await beforeScript(one);
  if (script === null) return 'It finds something, and the files as they were before are not known.';
  // A new copy, because a linter that fixes files may have changed the first one.
  const back = await shell(turn, { command: 'bash -s', stdin: Buffer.from(`${setup}\n${script}`) });
  if (typeof back === 'string' || back.exitCode !== 0)
    return 'It finds something, and the files could not be laid out as they were before.';
  const firsts = firstChangePerFile(turn);
  const before = await lintOnce(
    one,
    named.filter((path) => firsts.get(path)?.before !== null),
  );
  return typeof before === 'string' ? before : newFindings(before, after);
}

/** The files that a linter is given by name. Null: it checks everything. */
function namedFiles(runner: Look['lint']['runner']): RegExp | null {
  if (runner === 'ruff' || runner === 'flake8') return /\.pyi?$/u;
  return runner === 'rubocop' ? /\.rb$/u : null;
}

/** `files`: the files to check, for a linter that takes a list of files. */
async function lintOnce({ turn, lint, copy }: Look, files: readonly string[]): Promise<Seen> {
  const isWhole = namedFiles(lint.runner) === null;
  if (!isWhole && files.length === 0) return [];
  const command = isWhole ? lint.command : `${lint.command} -- ${files.map(shellQuote).join(' ')}`;
  const ran = await shell(turn, { command, cwd: copy.trial, env: { NO_COLOR: '1' }, keepBytes: KEEP_BYTES });
  if (typeof ran === 'string') return ran;
  if (ran.exitCode === 0) return [];
  const output = `${ran.stdout}\n${ran.stderr}`;
  if (ran.stdoutBytes + ran.stderrBytes > Buffer.byteLength(ran.stdout) + Buffer.byteLength(ran.stderr))
    return 'It printed too much.';
  const found = parseLint(output, copy.trial);
  if (found.length > 0) return found;
  if (ran.exitCode === 127 || /No module named/u.test(output))
    return 'The project’s linter is not installed in the sandbox.';
  return `It ended with ${ran.exitCode}, and what it printed is in no form that is known.`;
}

/**
 * A script that restores the changed files in the copy to their originals. It stops at a folder that leads out of the
 * copy. Null: not all originals are known.
 */
async function beforeScript({ turn, copy }: Look): Promise<string | null> {
  const lines = [
    'set -e',
    `cd ${shellQuote(copy.trial)}`,
    'root=$(pwd -P)',
    'clear() {',
    '  folder=$(dirname -- "$1")',
    '  case "$(realpath -m -- "$folder")/" in "$root"/*) ;; *) exit 3 ;; esac',
    '  rm -f -- "$1"',
    '}',
  ];
  let bytes = 0;
  for (const [path, { before }] of firstChangePerFile(turn)) {
    const quoted = shellQuote(`./${path}`);
    lines.push(`clear ${quoted}`);
    if (before === null) continue;
    const content = before.kept ? await turn.dependencies.journal.getBlob(before.blob) : null;
    bytes += content?.length ?? 0;
    if (content === null || bytes > MAX_BEFORE_BYTES) return null;
    lines.push(
      'mkdir -p -- "$folder"',
      `base64 -d > ${quoted} <<'END'`,
      Buffer.from(content).toString('base64'),
      'END',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Throws if the turn was aborted meanwhile. */
async function shell(
  turn: Pick<Turn, 'dependencies' | 'signal'>,
  request: Omit<ExecRequest, 'timeoutMs'>,
): Promise<ExecResult | string> {
  const reply = await turn.dependencies.sandbox.exec({ ...request, timeoutMs: LIMIT_MS }, turn.signal);
  turn.signal.throwIfAborted();
  if (!reply.ok) return reply.error.message;
  if (reply.value.outcome === 'timed-out') return `It took longer than ${LIMIT_MS / 1000} s.`;
  return reply.value.outcome === 'exited' ? reply.value : 'It was ended from outside.';
}
