import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ProjectFacts } from './project-facts.ts';

/** A line or two for a model about the programs and versions that a command finds. Rejects only on abort. */
export type ReadEnvironment = (sandbox: Sandbox, facts: ProjectFacts, signal: AbortSignal) => Promise<string>;

const mostMs = 5_000;

/** Versions do not change while a sandbox exists. */
const versionsOf = new WeakMap<Sandbox, string>();

/** One line each: the system, Python, Node, pytest. A missing program prints nothing. */
const versions = [
  '. /etc/os-release 2>/dev/null && echo "os $PRETTY_NAME"',
  'python3 --version 2>/dev/null | sed "s/^/py /"',
  'node --version 2>/dev/null | sed "s/^/node /"',
  "python3 -c \"import importlib.metadata as m; print('pytest ' + m.version('pytest'))\" 2>/dev/null",
].join('; ');

/** Accepts a repository of another user, because this only reads. */
const git = 'git -c safe.directory=* -c core.fsmonitor=false';
const state = `${git} rev-parse --abbrev-ref HEAD 2>/dev/null && ${git} status --porcelain 2>/dev/null | head -n 200 | wc -l`;

export const readEnvironment: ReadEnvironment = async (sandbox, facts, signal) => {
  // No path of this machine goes into a prompt. Files are named relative to the folder.
  if (sandbox.tier === 'read-only') return 'Environment: no commands.';
  const known = versionsOf.get(sandbox) ?? (await readVersions(sandbox, signal));
  const parts = [known, `folder ${sandbox.workspacePath}`, facts.git ? await readGit(sandbox, signal) : 'no git'];
  return `Environment: ${parts.filter((part) => part !== '').join(', ')}.`;
};

async function readVersions(sandbox: Sandbox, signal: AbortSignal): Promise<string> {
  const { lines: said, isWhole } = await print(sandbox, versions, signal);
  const one = (key: string): string => new RegExp(`^${key} (.*)$`, 'mu').exec(said)?.[1]?.trim().slice(0, 60) ?? '';
  const named = (label: string, value: string): string => (value === '' ? '' : `${label} ${value}`);
  const python = one('py').replace(/^Python /u, '');
  const found = [one('os'), named('Python', python), named('pytest', one('pytest')), named('Node', one('node'))];
  const text = found.filter((part) => part !== '').join(', ');
  // A busy machine may print the rest the next time.
  if (isWhole && text !== '') versionsOf.set(sandbox, text);
  return text;
}

async function readGit(sandbox: Sandbox, signal: AbortSignal): Promise<string> {
  const { lines, isWhole } = await print(sandbox, state, signal);
  const [branch = '', count = ''] = lines.trim().split('\n');
  if (branch === '' || !isWhole) return 'a git repository';
  const changed = Number(count.trim());
  const dirty = changed === 0 ? 'clean' : changed === 1 ? '1 file changed' : `${changed} files changed`;
  return `git branch ${branch.slice(0, 80)} (${dirty})`;
}

interface Printed {
  /** The whole lines that came in time. Empty if the command could not run. */
  readonly lines: string;
  readonly isWhole: boolean;
}

async function print(sandbox: Sandbox, command: string, signal: AbortSignal): Promise<Printed> {
  const reply = await sandbox.exec({ command, timeoutMs: mostMs, keepBytes: 8_192 }, signal);
  if (!reply.ok) return { lines: '', isWhole: false };
  const { outcome, stdout } = reply.value;
  const isWhole = outcome === 'exited';
  return { lines: isWhole ? stdout : stdout.slice(0, stdout.lastIndexOf('\n') + 1), isWhole };
}
