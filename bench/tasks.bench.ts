import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import catalog from '../resources/models.json';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import { createTaskBed } from './lib/judge.ts';
import { pairRows } from './lib/known-pairs.ts';
import { formatSetting, type Setting } from './lib/machine.ts';
import { makeCoreRunner } from './lib/make-core-runner.ts';
import { createSpeeds } from './lib/model-speed.ts';
import { createReplyCache, type ReplyCache } from './lib/reply-cache.ts';
import { reportOf } from './lib/report.ts';
import { openResults } from './lib/results.ts';
import type { BenchRow } from './lib/rows.ts';
import { runTasks } from './lib/run-tasks.ts';
import { createSandboxCommands } from './lib/sandbox-commands.ts';
import { locatedRows } from './lib/located.ts';
import { comparisonRows, taskRows } from './lib/summary.ts';
import { parseTaskOptions, selectTasks, type TaskOptions } from './lib/task-options.ts';
import { loadTasks } from './lib/tasks.ts';
import { UsageError } from './lib/usage-error.ts';

/** Real tasks with a real model: what is solved, at which cost, and what is harmed on the way. */
export async function run(args: readonly string[], setting: Setting): Promise<readonly BenchRow[]> {
  const options = parseTaskOptions(args);
  const root = process.cwd();
  const tasks = selectTasks(await loadTasks(join(root, 'bench', 'tasks')), options);
  if (tasks.length === 0) throw new UsageError('No task fits --split, --kinds and --only.');
  const file = resolve(
    options.resume ?? join('bench', 'results', `tasks-${setting.date.replaceAll(/[:.]/g, '-')}.jsonl`),
  );
  const results = await openResults(file);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  console.error(`${formatSetting(setting)}\n${tasks.length} tasks; results go to ${file}`);
  try {
    const records = await withBed(options, setting, (parts) =>
      runTasks(tasks, options, { ...parts, results }, stop.signal),
    );
    if (options.isPaired) return pairRows(records, options);
    const report = reportOf(records, options, setting);
    console.log(`\n${report.text}`);
    if (options.report !== null) await writeFile(resolve(options.report), report.markdown);
    return [...taskRows(records, options), ...locatedRows(records), ...comparisonRows(records)];
  } finally {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
  }
}

/** A home, a core and a judge of their own for this run; all removed after it, apart from what is asked to be kept. */
async function withBed<Result>(
  options: TaskOptions,
  setting: Setting,
  use: (parts: Omit<Parameters<typeof runTasks>[2], 'results'>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-'));
  const { cache } = findDataFolders(process.env, process.platform);
  const say = (line: string): void => console.error(line);
  const replies =
    options.replies === null ? null : keptReplies(options, { folder: resolve(options.replies), cache, say });
  const home = options.keep === null ? join(folder, 'home') : resolve(options.keep, 'home');
  try {
    const runner = await makeCoreRunner({
      root: process.cwd(),
      home,
      cache,
      recipe: options.recipe,
      models: options.models,
      say,
      ...(replies === null ? {} : { wrapProvider: replies.wrap, now: replies.now }),
      setUp: async (core) => {
        if (options.image !== null) await core.client.settings.set({ key: 'sandbox.image', value: options.image });
        if (Object.keys(options.drive).length === 0) return;
        for (const id of options.models) await core.client.settings.set({ key: ['models', id], value: options.drive });
      },
    });
    try {
      const bed = createTaskBed({
        runCommands: createSandboxCommands({ homePath: join(folder, 'judge'), root: process.cwd() }),
        cacheFolder: join(cache, 'bench'),
        scratchFolder: join(folder, 'before'),
      });
      const workFolder = options.keep === null ? join(folder, 'work') : resolve(options.keep, 'work');
      const now = replies?.now ?? Date.now;
      const kept = replies === null ? {} : { replies };
      return await use({ runner, bed, workFolder, commit: setting.commit, now, say, ...kept });
    } finally {
      await runner.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Pairs are timed by the tokens of their answers, so that load cuts neither of the two. */
function keptReplies(
  { isPaired }: TaskOptions,
  { folder, cache, say }: { readonly folder: string; readonly cache: string; readonly say: (line: string) => void },
): ReplyCache {
  const speeds = join(cache, 'bench', 'pair', 'speeds');
  return createReplyCache({
    folder,
    digestOf,
    speedOf: isPaired ? createSpeeds({ folder: speeds, digestOf, say }) : null,
  });
}

/** By the file that was fetched, where Dewpoint lists it; else by its name alone. */
function digestOf(provider: string, model: string): string {
  return `${provider} ${catalog.models.find(({ name }) => name === model)?.sha256 ?? model}`;
}
