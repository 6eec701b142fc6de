import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import catalog from '../resources/models.json';
import { createTaskBed } from './lib/judge.ts';
import { formatSetting, type Setting } from './lib/machine.ts';
import { makeCoreRunner } from './lib/make-core-runner.ts';
import { startEndpoint } from './lib/pair-endpoint.ts';
import { pairPrice } from './lib/pair-figures.ts';
import { drawTasks, type PairOptions, parsePairOptions } from './lib/pair-options.ts';
import { pairReport } from './lib/pair-report.ts';
import { appendPairResult, readPairResults } from './lib/pair-results.ts';
import { createReplyCache, type ReplyCache } from './lib/reply-cache.ts';
import { createSpeeds } from './lib/model-speed.ts';
import type { BenchRow } from './lib/rows.ts';
import { type PairParts, runPair } from './lib/run-pair.ts';
import { createSandboxCommands } from './lib/sandbox-commands.ts';
import { loadTasks, type Task } from './lib/tasks.ts';
import { UsageError } from './lib/usage-error.ts';

const localName = 'qwen2.5-coder-0.5b-instruct';
const cloudName = 'qwen2.5-coder-1.5b-instruct';
const models = { local: `llama-cpp/${localName}`, cloud: `small-cloud/${cloudName}` };
const contextTokens = 16_384;
/** Measures what routing is worth with a real pair of models, one here and one behind an endpoint with a price. */
export async function run(args: readonly string[], setting: Setting): Promise<readonly BenchRow[]> {
  const options = parsePairOptions(args);
  const { cache } = findDataFolders(process.env, process.platform);
  const tasks = drawTasks(await loadTasks(join(process.cwd(), 'bench', 'tasks')), options);
  if (tasks.length === 0) throw new UsageError('No task fits --split and --tasks.');
  const file = resolve(options.results ?? join(cache, 'bench', 'pair', 'results.jsonl'));
  if (!options.isReport) {
    console.error(`${formatSetting(setting)}\n${tasks.length} tasks; results go to ${file}`);
    await withStop((signal) => work(tasks, options, { cache, file, commit: setting.commit }, signal));
  }
  const report = pairReport(tasks, await readPairResults(file), options);
  console.log(`\n${report.text}`);
  return report.rows;
}

async function withStop(use: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    await use(stop.signal);
  } finally {
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
  }
}

interface Place {
  readonly cache: string;
  readonly file: string;
  readonly commit: string;
}

/** Uses its own home, core, endpoint and judge. Everything but the answers and the results is removed afterwards. */
async function work(
  tasks: readonly Task[],
  options: PairOptions,
  { cache, file, commit }: Place,
  signal: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-pair-'));
  const say = (line: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
  const endpoint = await startEndpoint({ cache, model: cloudName, contextTokens, say });
  try {
    const kept = join(cache, 'bench', 'pair');
    const speedOf = createSpeeds({ folder: join(kept, 'speeds'), digestOf, say });
    const replies = createReplyCache({ folder: join(kept, 'replies'), digestOf, speedOf });
    const runner = await pairRunner({ folder, cache, replies, baseUrl: endpoint.baseUrl, say, options });
    try {
      const bed = createTaskBed({
        runCommands: createSandboxCommands({ homePath: join(folder, 'judge'), root: process.cwd() }),
        cacheFolder: join(cache, 'bench'),
        scratchFolder: join(folder, 'before'),
      });
      const parts: PairParts = {
        runner,
        bed,
        replies,
        models,
        workFolder: join(folder, 'work'),
        commit,
        done: await readPairResults(file),
        append: (record) => appendPairResult(file, record),
        say,
      };
      await runPair(tasks, options, parts, signal);
    } finally {
      await runner.close();
    }
  } finally {
    await endpoint.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function pairRunner(parts: {
  readonly folder: string;
  readonly cache: string;
  readonly replies: ReplyCache;
  readonly baseUrl: string;
  readonly say: (line: string) => void;
  readonly options: PairOptions;
}) {
  const { folder, cache, replies, baseUrl, say, options } = parts;
  return makeCoreRunner({
    root: process.cwd(),
    home: join(folder, 'home'),
    cache,
    recipe: { seed: options.seed },
    models: [models.local],
    say,
    wrapProvider: replies.wrap,
    now: replies.now,
    setUp: async (core) => {
      // Set up as a user with a small model behind an endpoint does: its price, and that recipes suit it.
      const model = { context: contextTokens, parametersB: 1.5, tools: false, strategies: ['recipe'] };
      const provider = { kind: 'openai-compatible', baseUrl, where: 'cloud', models: { [cloudName]: model } };
      await core.client.settings.set({ key: 'providers.small-cloud', value: provider });
      await core.client.settings.set({
        key: 'providers.llama-cpp',
        value: { kind: 'llama-cpp', contextTokens, threads: 1 },
      });
      await core.client.settings.set({ key: 'prices', value: { [models.cloud]: pairPrice } });
      await core.client.settings.set({ key: 'local', value: models.local });
      await core.client.settings.set({ key: 'cloud', value: models.cloud });
    },
  });
}

/** The files were checked against these hashes when they were downloaded. */
function digestOf(provider: string, model: string): string {
  const listed = catalog.models.find(({ name }) => name === model);
  return `${provider} ${listed?.sha256 ?? model} ${contextTokens}`;
}
