import { execFile } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';

/** Where and when something was measured. Printed above every table, because absolute times mean nothing without it. */
export interface Setting {
  /** ISO 8601. */
  readonly date: string;
  /** "Intel Xeon …, 2 cores, 8 GiB, no GPU, linux x64, Node v24.1.0" */
  readonly machine: string;
  /** A short hash, followed by `+` if files differ from the commit. */
  readonly commit: string;
}

const execute = promisify(execFile);

export async function describeSetting(root: string): Promise<Setting> {
  const [machine, commit] = await Promise.all([describeMachine(), describeCommit(root)]);
  return { date: new Date().toISOString(), machine, commit };
}

export function formatSetting({ date, machine, commit }: Setting): string {
  return `${date.slice(0, 16).replace('T', ' ')} UTC · commit ${commit} · ${machine}`;
}

async function describeMachine(): Promise<string> {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() || 'unknown processor';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const cores = availableParallelism();
  const system = `${process.platform} ${process.arch}, Node ${process.version}`;
  return `${model}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory}, ${await describeGpu()}, ${system}`;
}

async function describeGpu(): Promise<string> {
  const output = await outputOf('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader']);
  return output === null || output === '' ? 'GPU none' : `GPU ${output.split('\n').join(' and ')}`;
}

async function describeCommit(root: string): Promise<string> {
  const head = await outputOf('git', ['-C', root, 'rev-parse', '--short', 'HEAD']);
  if (head === null) return 'unknown';
  const changes = await outputOf('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']);
  return changes === '' ? head : `${head}+`;
}

/** Null if the program is missing or fails. The output is used only in the header. */
async function outputOf(program: string, args: readonly string[]): Promise<string | null> {
  return execute(program, [...args], { timeout: 10_000 }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}
