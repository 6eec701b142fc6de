import forkRunner from '../../../../resources/programs/recipes/pytest-forks.py?raw';
import shareMembersScript from '../../../../resources/programs/recipes/share-members.sh?raw';
import trialFunctions from '../../../../resources/programs/recipes/trial.sh?raw';
import type { FileText } from './candidate-change.ts';
import { watchLines } from '../../lib/endless/watch-script.ts';
import { shellQuote } from '../../lib/programs/shell-quote.ts';

/** The lines of a new text that differ from the base, so that a script need not carry the whole text. */
export interface LinePatch {
  readonly path: string;
  /** The number of base lines kept before `middle`. */
  readonly headLines: number;
  /** The first base line (1-based) kept after it. */
  readonly tailFrom: number;
  readonly middle: readonly string[];
  /** The bytes of `middle` if they are not those of UTF-8. */
  readonly bytes?: Uint8Array;
}

export function linePatch(base: string, file: FileText): LinePatch {
  const before = base.split('\n');
  const after = file.text.split('\n');
  let head = 0;
  while (head < before.length - 1 && head < after.length - 1 && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const middle = after.slice(head, after.length - tail);
  return { path: file.path, headLines: head, tailFrom: before.length - tail + 1, middle };
}

/** A patch whose file has the bytes of its encoding. */
export function encodedPatch(
  patch: LinePatch,
  file: FileText,
  bytesOf: (path: string, text: string) => Uint8Array,
): LinePatch {
  const { path, text } = file;
  const isSame = (one: string, bytes: Uint8Array): boolean => Buffer.compare(Buffer.from(one), bytes) === 0;
  const whole = bytesOf(path, text);
  // In UTF-16 a line of bytes is no line of text.
  if (whole.includes(0)) return { path, headLines: 0, tailFrom: 999_999_999, middle: [], bytes: whole };
  const middle = patch.middle.map((line) => `${line}\n`).join('');
  const bytes = bytesOf(path, middle);
  return isSame(middle, bytes) ? patch : { ...patch, bytes };
}

export interface TrialPaths {
  /** The copy in which the tests run. */
  readonly trial: string;
  /** Outside the copy: pristine files and outputs. */
  readonly workFolder: string;
}

/**
 * Makes the copy. Installed packages are shared by a link, and history is left out. Workspace members come from the
 * copy.
 */
export function setupScript(workspace: string, paths: TrialPaths): string {
  const { trial, workFolder } = paths;
  const shared = ['node_modules', '.venv', 'venv'];
  const leftOut = ['.git', ...shared].map((name) => `! -name ${name}`).join(' ');
  return [
    `rm -rf ${shellQuote(trial)} ${shellQuote(workFolder)}`,
    `mkdir -p ${shellQuote(trial)} ${shellQuote(`${workFolder}/base`)}`,
    `cd ${shellQuote(workspace)}`,
    `find . -mindepth 1 -maxdepth 1 ${leftOut} -exec cp -a -t ${shellQuote(trial)} {} +`,
    ...shared.map((name) => `[ ! -e ${name} ] || ln -s "$PWD/${name}" ${shellQuote(`${trial}/${name}`)}`),
    shareMembers(trial),
  ].join('\n');
}

/**
 * Workspace packages are links into the workspace, so with a shared `node_modules` a trial would test the project's
 * text of them instead of the copy's. The copy's `node_modules` therefore has its own links to them.
 */
function shareMembers(trial: string): string {
  return `trial=${shellQuote(trial)}\n${shareMembersScript}`;
}

export interface PatchToTry {
  readonly patches: readonly LinePatch[];
  /** Parse checks. A candidate that fails one is not tested. */
  readonly checks: readonly string[];
}

/** A shell command, or pytest with these arguments in forks of one process, for many quick runs. */
export type TrialCommand = string | { readonly pytest: readonly string[] };

export interface TrialScriptOptions {
  readonly paths: TrialPaths;
  /** Run in order. The first failure ends the candidate. */
  readonly commands: readonly TrialCommand[];
  readonly limitSeconds: number;
  /** The script ends after this many candidates that passed every command. */
  readonly stopAfter: number;
  /** How long the script continues after the first accepted candidate, in seconds, to see which others pass. */
  readonly graceSeconds: number;
  /** The script starts no further candidate after this many seconds. */
  readonly totalSeconds: number;
  /** The bytes kept of each output, from its head and tail. */
  readonly keepBytes: number;
  /** A test that runs longer is stopped by itself. */
  readonly patienceSeconds: number;
}

/**
 * A script that tries each candidate in the copy: writes it, runs the commands under a limit, restores.
 * It prints one `@@dewpoint` line per command and the output after it. Read it with `readTrialOutput`.
 */
export function trialScript(candidates: readonly PatchToTry[], options: TrialScriptOptions): string {
  const { paths, patienceSeconds } = options;
  const lines = [
    enterTrial(paths),
    `KEEP=${options.keepBytes}; STOP_AFTER=${options.stopAfter}`,
    `TOTAL_MS=${options.totalSeconds * 1000}; GRACE_MS=${options.graceSeconds * 1000}`,
    ...watchLines({ patienceSeconds }),
    trialFunctions,
    ...forkLines(options),
    'begin=$(now); accepted=0; until=0',
  ];
  for (const [index, candidate] of candidates.entries()) lines.push(...candidateLines(candidate, index, options));
  lines.push('kill -9 "$watcher" 2> /dev/null; rm -rf "$DEWPOINT_WATCH"');
  lines.push('echo "@@dewpoint end"', 'echo quit >&7 2> /dev/null');
  return `${lines.join('\n')}\n`;
}

/** Starts the process that forks if a command wants it. Without it, the plain command is run. */
function forkLines(options: TrialScriptOptions): string[] {
  const forked = options.commands.find((command) => typeof command !== 'string');
  if (forked === undefined || typeof forked === 'string') return ['forks=; exec 7> /dev/null'];
  const given = forked.pytest.map(shellQuote).join(' ');
  return [
    `instead=${shellQuote(`python3 -m pytest ${given}`)}; forks=; rm -f "$W/req" "$W/res"; mkfifo "$W/req" "$W/res"; exec 7<> "$W/req" 8<> "$W/res"`,
    `cat > "$W/fork.py" << 'DEWPOINT_END_OF_TEXT'`,
    forkRunner,
    'DEWPOINT_END_OF_TEXT',
    `python3 "$W/fork.py" "$W/req" "$W/res" "$W/out" ${options.limitSeconds} ${given} > /dev/null 2>&1 < /dev/null &`,
    'server=$!; trap "kill -9 $server 2> /dev/null" EXIT',
    'read -r -t 10 -u 8 forks; [ "$forks" = ready ] || forks=',
  ];
}

const enterTrial = ({ trial, workFolder }: TrialPaths): string =>
  `T=${shellQuote(trial)}; W=${shellQuote(workFolder)}; cd "$T" || exit 90`;

function putLines(patch: LinePatch): string[] {
  const put = `put ${shellQuote(patch.path)} ${patch.headLines} ${patch.tailFrom}`;
  if (patch.bytes !== undefined) {
    return [
      `base64 -d << 'DEWPOINT_END_OF_TEXT' | ${put}`,
      Buffer.from(patch.bytes).toString('base64'),
      'DEWPOINT_END_OF_TEXT',
    ];
  }
  if (patch.middle.length === 0) return [`${put} < /dev/null`];
  return [`${put} << 'DEWPOINT_END_OF_TEXT'`, ...patch.middle, 'DEWPOINT_END_OF_TEXT'];
}

function candidateLines(candidate: PatchToTry, index: number, options: TrialScriptOptions): string[] {
  const lines = ['if more; then'];
  lines.push(...candidate.patches.flatMap(putLines));
  const checks = candidate.checks.map((command) => `go ${index} check ${options.limitSeconds} ${shellQuote(command)}`);
  const runs = options.commands.map((command, at) => {
    const text = typeof command === 'string' ? shellQuote(command) : '@fork';
    return `go ${index} ${at} ${options.limitSeconds} ${text}`;
  });
  lines.push(`if ${[...checks, ...runs].join(' && ')}; then accept; fi`);
  lines.push(...candidate.patches.map((patch) => `back ${shellQuote(patch.path)}`), 'fi');
  return lines;
}

/** Makes the given texts the new base of the copy. */
export function keepScript(patches: readonly LinePatch[], paths: TrialPaths): string {
  const lines = patches.flatMap((patch) => {
    const path = shellQuote(patch.path);
    const base = `"$W/base/"${path}`;
    return [...putLines(patch), `mkdir -p "$(dirname ${base})"; cat "$T/"${path} > ${base}; rm -f "$W/new/"${path}`];
  });
  return `${[enterTrial(paths), trialFunctions, ...lines].join('\n')}\n`;
}

export interface TrialRun {
  readonly candidate: number;
  /** The command by its index, or `check` for a parse check. */
  readonly phase: number | 'check';
  readonly exitCode: number;
  readonly durationMs: number;
  readonly output: string;
}

/** The runs that a trial script reported, in order. A candidate without a run was not tried. */
export function readTrialOutput(stdout: string): readonly TrialRun[] {
  const runs: TrialRun[] = [];
  const marks = [...stdout.matchAll(/^@@dewpoint (?:end|(\d+) (\d+|check) (\d+) (\d+))$/gm)];
  for (const [index, mark] of marks.entries()) {
    if (mark[1] === undefined) continue;
    const from = mark.index + mark[0].length + 1;
    const to = marks[index + 1]?.index ?? stdout.length;
    runs.push({
      candidate: Number(mark[1]),
      phase: mark[2] === 'check' ? 'check' : Number(mark[2]),
      exitCode: Number(mark[3]),
      durationMs: Number(mark[4]),
      output: stdout.slice(from, to).trimEnd(),
    });
  }
  return runs;
}
