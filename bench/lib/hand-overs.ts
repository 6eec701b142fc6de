import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';
import { parseTestOutput } from '../../src/main/lib/test-output/parse-test-output.ts';
import { filesBelow } from './files-below.ts';
import { factSchema, type KnownChange, lookAt, neededFacts } from './hand-over-facts.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { type CommandRunner, createTaskBed, type TaskBed } from './judge.ts';
import { makeCoreRunner } from './make-core-runner.ts';
import { createNextModel, type NextModel } from './next-model.ts';
import { fetchPlanted, readPlantedTask } from './planted.ts';
import type { BenchRow } from './rows.ts';
import { createReplyCache } from './reply-cache.ts';
import { createSandboxCommands } from './sandbox-commands.ts';
import { seeded } from './seeded.ts';
import type { TaskRunner } from './task-runner.ts';
import { loadTasks, type Task } from './tasks.ts';

const recordSchema = z.object({
  task: z.string(),
  kind: z.string(),
  model: z.string(),
  commit: z.string(),
  /** Why the stage before was left. Null: it was the only one. */
  cause: z.string().nullable(),
  /** How the whole run ended. */
  status: z.string(),
  /** Everything the next model was shown before its first answer. Null: it was not needed. */
  handOver: z.string().nullable(),
  facts: z.array(factSchema).readonly(),
  lookUps: z.number(),
  /** The right change was made with the real tools, and its check passed. */
  solved: z.boolean(),
});
export type HandOverRecord = z.infer<typeof recordSchema>;

const localModel = 'llama-cpp/qwen2.5-coder-0.5b-instruct';
const nextId = 'next';
const minutes = { withAnswers: 1, without: 0.16 };
/** The end of a task's clock, which counts only the model's answers. The local stage gives up by then. */
const mostMs = 52_000;
/**
 * The cost of answers on that clock, in ms a token. There is room for one or two answers: what a search finds out does
 * not need more.
 */
const speed = { readMs: 10, writtenMs: 400 };

export async function readHandOvers(path: string): Promise<readonly HandOverRecord[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => recordSchema.parse(JSON.parse(line)));
}

export interface RecordOptions {
  readonly file: string;
  /** How many hand-overs the file should contain. */
  readonly count: number;
  readonly tasks: (task: Task) => boolean;
  readonly commit: string;
  /** False: the local stage runs out of time before it asks its model, and hands over what it found until then. */
  readonly hasAnswers: boolean;
}

/** Runs a small local model on tasks, in an order drawn once, until the file has `count` hand-overs. */
export async function recordHandOvers({ file, count, tasks, commit, hasAnswers }: RecordOptions): Promise<void> {
  const root = process.cwd();
  const all = await loadTasks(join(root, 'bench', 'tasks'));
  const random = seeded(41);
  const drawn = all
    .map((task) => ({ task, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ task }) => task)
    .filter((task) => task.answer === null && tasks(task));
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-hand-over-'));
  const { cache } = findDataFolders(process.env, process.platform);
  const next = createNextModel();
  const replies = createReplyCache({
    folder: join(cache, 'bench', 'hand-over'),
    digestOf: (provider, model) => `${provider} ${model}`,
    speedOf: async () => speed,
  });
  const clock = { begun: Date.now(), answersMs: 0 };
  const now = (): number => clock.begun + Math.min(clock.answersMs, mostMs);
  const wrap = (provider: Provider): Provider => counted(replies.wrap(provider), (ms) => void (clock.answersMs += ms));
  const runner = await openRunner({ root, home: join(folder, 'home'), cache, next, wrap, now });
  try {
    const runCommands = createSandboxCommands({ homePath: join(folder, 'judge'), root });
    const bed = createTaskBed({
      runCommands,
      cacheFolder: join(cache, 'bench'),
      scratchFolder: join(folder, 'before'),
    });
    const own = hasAnswers ? minutes.withAnswers : minutes.without;
    const begin = (): void => void Object.assign(clock, { begun: Math.max(Date.now(), now()), answersMs: 0 });
    const parts: Parts = { runner, bed, runCommands, next, folder, cache, commit, minutes: own, begin };
    for (const task of drawn) {
      const done = await readHandOvers(file);
      if (done.filter(({ handOver }) => handOver !== null).length >= count) break;
      if (done.some((record) => record.task === task.id)) continue;
      const record = await recordOne(task, parts);
      await appendFile(file, `${JSON.stringify(record)}\n`);
      process.stderr.write(`${describe(record)}\n`);
    }
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function counted(provider: Provider, onAnswer: (ms: number) => void): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      for await (const part of provider.stream(request, signal)) {
        if (part.type === 'ended') onAnswer(part.timings.totalMs);
        yield part;
      }
    },
  };
}

interface Parts {
  readonly runner: TaskRunner;
  readonly bed: TaskBed;
  readonly runCommands: CommandRunner;
  readonly next: NextModel;
  readonly folder: string;
  readonly cache: string;
  readonly commit: string;
  readonly minutes: number;
  /** Starts the clock of a task. */
  readonly begin: () => void;
}

function openRunner(parts: {
  readonly root: string;
  readonly home: string;
  readonly cache: string;
  readonly next: NextModel;
  readonly wrap: (provider: Provider) => Provider;
  readonly now: () => number;
}): Promise<TaskRunner> {
  const { root, home, cache, next, wrap, now } = parts;
  const price = { input: 3, output: 15, source: 'settings', date: '2026-11-26' };
  return makeCoreRunner({
    root,
    home,
    cache,
    // Mechanical changes would solve some tasks, and take minutes on a busy machine.
    recipe: { mechanicalChanges: false },
    models: [localModel],
    say: () => undefined,
    wrapProvider: (provider) => (provider.id === nextId ? next.wrap(provider) : wrap(provider)),
    now,
    setUp: async ({ client }) => {
      const scripted = { kind: 'scripted', replies: [], where: 'cloud', price };
      await client.settings.set({ key: `providers.${nextId}`, value: scripted });
      await client.settings.set({ key: 'local', value: localModel });
      await client.settings.set({ key: 'cloud', value: `${nextId}/script` });
    },
  });
}

async function recordOne(task: Task, { runner, bed, runCommands, next, ...parts }: Parts): Promise<HandOverRecord> {
  const { signal } = new AbortController();
  const [before, work] = [join(parts.folder, 'project'), join(parts.folder, 'work', task.id)];
  await bed.prepare(task, before, signal);
  const known = { projectFolder: before, right: await rightTexts(task, before, parts.cache) };
  const [run] = await runCommands(before, [{ command: `pwd -P; ${task.testCommand ?? 'true'}` }], signal);
  const output = run?.output ?? '';
  const { failures } = parseTestOutput(output, [output.split('\n')[0] ?? '']);
  const facts = await neededFacts(known, failures);
  next.begin({ known, facts });
  parts.begin();
  await bed.prepare(task, work, signal);
  const { prompt, testCommand: check, id, kind } = task;
  const asked = { projectPath: work, prompt, check, model: localModel, cloud: `${nextId}/script`, seed: 1 };
  const { events, result } = await runner.run(
    { ...asked, strategy: 'auto', policy: 'hybrid', maxMinutes: parts.minutes },
    signal,
  );
  const stages = events.filter((event) => event.type === 'stage-chosen');
  const cause = stages.at(-1)?.cause ?? null;
  // A task that began in the cloud has no hand-over.
  const { handOver, lookUps } = cause === null ? { handOver: null, lookUps: 0 } : next.seen();
  const solved = await isRight(work, known.right);
  await rm(work, { recursive: true, force: true });
  await rm(before, { recursive: true, force: true });
  const about = { task: id, kind, model: localModel, commit: parts.commit, cause, status: result.status };
  return { ...about, handOver, facts, lookUps, solved: solved && result.status === 'done' };
}

async function isRight(folder: string, right: KnownChange['right']): Promise<boolean> {
  for (const [path, text] of right)
    if ((await readFile(join(folder, path), 'utf8').catch(() => null)) !== text) return false;
  return true;
}

/** The files of the right change: the task's own solution, or the package without the planted faults. */
async function rightTexts(task: Task, project: string, cache: string): Promise<KnownChange['right']> {
  const right = new Map<string, string>();
  if (task.kind === 'planted') {
    const planted = await readPlantedTask(task.folder);
    const package_ = await fetchPlanted(planted, join(cache, 'bench'), new AbortController().signal);
    for (const { file } of planted.faults) right.set(file, await readFile(join(package_, file), 'utf8'));
    return right;
  }
  const solution = join(task.folder, 'solution');
  for (const path of await filesBelow(solution)) {
    const text = await readFile(join(solution, path), 'utf8');
    const before = await readFile(join(project, path), 'utf8').catch(() => null);
    if (text !== before) right.set(path, text);
  }
  return right;
}

function describe({ task, cause, status, handOver, facts, lookUps, solved }: HandOverRecord): string {
  if (handOver === null) return `${task}: nothing was handed over (${status})`;
  const { needed, lacking } = lookAt(handOver, facts);
  const kinds = lacking.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  return `${task} (${cause}): ${needed.length} facts, lacking ${kinds || 'none'}; ${lookUps} looked up, ${solved ? 'solved' : 'not solved'}`;
}

/** The figures, from the recorded texts alone. */
export function handOverRows(records: readonly HandOverRecord[]): readonly BenchRow[] {
  const all = records.flatMap(({ handOver, facts }) => {
    if (handOver === null) return [];
    const { needed, lacking } = lookAt(handOver, facts);
    return needed.map((fact) => ({ kind: fact.kind, isThere: !lacking.includes(fact) }));
  });
  const given = records.filter(({ handOver }) => handOver !== null);
  const share = (kinds: typeof all): string => `${kinds.filter(({ isThere }) => !isThere).length} of ${kinds.length}`;
  const byKind = [...new Set(all.map(({ kind }) => kind))]
    .sort()
    .map((kind) => `${kind} ${share(all.filter((one) => one.kind === kind))}`);
  const solved = given.filter((record) => record.solved).length;
  return [
    {
      figure: `facts that the next model has to look up, ${given.length} recorded hand-overs`,
      value: (100 * all.filter(({ isThere }) => !isThere).length) / all.length,
      unit: '%',
      target: { atMost: 10 },
      note: `${share(all)}: ${byKind.join(', ')}; solved after it ${solved}; ${Math.round(
        given.reduce((sum, { handOver }) => sum + (handOver?.length ?? 0), 0) / given.length,
      )} characters in the mean`,
    },
  ];
}
