import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseEvent, type EventOf, type SessionEvent } from '@shared/events/events.ts';
import type { ProviderSettings } from '@shared/settings/settings.ts';
import { againstBefore } from './lib/against-before.ts';
import { createBusyScript, type ScriptedReplies } from './lib/busy-script.ts';
import type { BenchRow, Target } from './lib/rows.ts';
import { largest, median, percentile } from './lib/statistics.ts';
import { timeProgram } from './lib/time-program.ts';

const cliFile = resolve('out/main/cli.cjs');
const startFile = resolve('scripts/start.mjs');

/** Measures the built program from outside: the times that a user waits. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({ args: [...args], options: { before: { type: 'string' } } });
  if (values.before !== undefined) return againstBefore(resolve(values.before));
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-start-'));
  try {
    return [
      await measure('dewpoint --help', { atMost: 300 }, measureHelp),
      await measure('npm start -- --help with nothing to do', { atMost: 2 }, measureStart),
      await measure('process start to the end of the first sandboxed command', { atMost: 10 }, () =>
        measureFirst(folder),
      ),
      await measure('later commands and tools, p99', { atMost: 2 }, () => measureTools(join(folder, 'busy'))),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Measured = Pick<BenchRow, 'value' | 'unit'> & { readonly note: string };

/** A figure that cannot be measured here (without a sandbox, say) does not stop the others. */
async function measure(figure: string, target: Target, work: () => Promise<Measured>): Promise<BenchRow> {
  try {
    return { figure, target, ...(await work()) };
  } catch (error) {
    const note = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 200);
    return { figure, target, value: null, unit: '', note };
  }
}

async function measureHelp(): Promise<Measured> {
  const times = await timesOf(10, () => timeProgram([cliFile, '--help']));
  return { value: median(times), unit: 'ms', note: 'median of 10' };
}

async function measureStart(): Promise<Measured> {
  const times = await timesOf(3, () => timeProgram([startFile, '--help'], { npm: true }));
  return { value: median(times.map((ms) => ms / 1000)), unit: 's', note: 'median of 3' };
}

async function measureFirst(folder: string): Promise<Measured> {
  let round = 0;
  const times = await timesOf(3, () => timeFirstCommand(join(folder, `first-${(round += 1)}`)));
  const middle = median(times) ?? 0;
  return {
    value: (largest(times) ?? 0) / 1000,
    unit: 's',
    note: `slowest of 3, median ${(middle / 1000).toFixed(2)} s`,
  };
}

async function measureTools(folder: string): Promise<Measured> {
  const times = await toolTimes(folder);
  const note = `${times.length} calls, median ${(median(times) ?? 0).toFixed(0)} ms`;
  return { value: (percentile(times, 0.99) ?? 0) / 1000, unit: 's', note };
}

/** The first run is not counted: it fetches what is missing, and brings files into memory. */
async function timesOf(count: number, time: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round <= count; round += 1) {
    const ms = await time();
    if (round > 0) times.push(ms);
  }
  return times;
}

async function timeFirstCommand(folder: string): Promise<number> {
  const replies = [
    { toolCalls: [{ name: 'run_command', input: { command: 'echo ready', why: 'to see that commands run' } }] },
    { toolCalls: [{ name: 'task_complete', input: { summary: 'It runs.' } }] },
  ];
  const seen = await runScript(folder, replies);
  const end = seen.find(({ event }) => isEndOf(event, 'run_command'));
  if (end === undefined) throw new Error('The scripted session ran no command.');
  return end.ms;
}

/** Milliseconds from the request of a call to its end, of every call after the first. */
async function toolTimes(folder: string): Promise<readonly number[]> {
  const script = createBusyScript();
  const seen = await runScript(folder, script.replies, script.files);
  const asked = new Map<string, number>();
  const times: number[] = [];
  for (const { event } of seen) {
    if (event.type === 'tool-call-requested') asked.set(event.toolCallId, event.at);
    if (event.type !== 'tool-ended') continue;
    const at = asked.get(event.toolCallId);
    if (event.status !== 'ok') throw new Error(`${event.tool} ended as ${event.status}: ${event.output.slice(0, 300)}`);
    if (at !== undefined) times.push(event.at - at);
  }
  if (times.length < script.calls) throw new Error(`${times.length} of ${script.calls} calls came to an end.`);
  return times.slice(1);
}

function isEndOf(event: SessionEvent, tool: string): event is EventOf<'tool-ended'> {
  return event.type === 'tool-ended' && event.tool === tool && event.status === 'ok';
}

interface SeenEvent {
  readonly event: SessionEvent;
  /** Since the process was started. */
  readonly ms: number;
}

/** Runs `dewpoint run` once on a new project and home, with scripted answers in place of a model. */
async function runScript(
  folder: string,
  replies: ScriptedReplies,
  files: Readonly<Record<string, string>> = { 'notes.txt': 'hello\n' },
): Promise<readonly SeenEvent[]> {
  const project = join(folder, 'project');
  await mkdir(project, { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
  const env = { ...process.env, DEWPOINT_HOME: join(folder, 'home') };
  const provider: ProviderSettings = {
    kind: 'scripted',
    replies: [...replies],
    repeat: false,
    tools: true,
    strategies: ['loop'],
  };
  await timeProgram([cliFile, 'settings', 'set', 'providers.bench', JSON.stringify(provider)], { env });
  const task = ['run', '--project', project, '--local', 'bench/script', '--policy', 'local', '--strategy', 'loop'];
  const limits = ['--max-steps', String(replies.length + 5), '--approve', 'deny', '--json'];
  const seen: SeenEvent[] = [];
  await timeProgram([cliFile, ...task, ...limits, 'Do what the script says.'], {
    env,
    onLine: (line, ms) => {
      const event = parseEvent(JSON.parse(line));
      if (event !== null) seen.push({ event, ms });
    },
  });
  return seen;
}
