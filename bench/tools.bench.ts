import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { promptShape } from '../src/main/agent/prompt/build-prompt.ts';
import { toolsBytes } from '../src/main/agent/prompt/token-estimate.ts';
import { isAdded } from '../src/main/agent/prompt/tool-descriptions.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import { createFindTools, searchTools } from '../src/main/tools/foreign/find-tools.ts';
import { createForeignTool } from '../src/main/tools/foreign/foreign-tool.ts';
import { builtInTools, discoverTools } from '../src/main/tools/registry.ts';
import { loopModel } from '../tests/fakes/agent-kit.ts';
import type { AskedCall } from './lib/model-callers.ts';
import { callerRows } from './lib/model-callers.ts';
import { conformanceRows } from './lib/conformance-rows.ts';
import { playFencedTools } from './lib/fenced-tool-sessions.ts';
import { hostileServerRow } from './lib/hostile-servers.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';
import { processRows } from './lib/server-processes.ts';
import { renewalsChild, renewByTwo } from './lib/sign-in-renewals.ts';
import { seeded } from './lib/seeded.ts';
import { shortenedRows } from './lib/shortened-results.ts';
import { median, percentile } from './lib/statistics.ts';
import { seamTimes, stdioTimes } from './lib/tool-call-times.ts';

/** The version of the data set, which is only measured with, never tuned on. Download it by hand, once. */
const version = '2026.3.23';
const most = 300;
const shown = 5;
/** Low for JSON, so that token counts are never too small. */
const bytesPerToken = 2.8;

const files = { multiple: 'BFCL_v4_multiple.json', live: 'BFCL_v4_live_multiple.json' } as const;

/** Measures many connected tools, sign-ins that last, conformance with the protocol, and what servers leave behind. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const child = renewalsChild();
  if (child !== null) return child;
  const { cache } = findDataFolders(process.env, process.platform);
  const parts = {
    many: null,
    renewals: null,
    conformance: null,
    processes: null,
    results: null,
    calls: null,
    fenced: null,
    hostile: null,
    callers: null,
  };
  const defaults = {
    data: join(cache, 'bench', 'bfcl-eval'),
    renewals: '1000',
    suite: join(cache, 'bench', 'mcp-conformance'),
    starts: '1000',
    sessions: '10000',
    models: 'qwen2.5-coder-0.5b-instruct,qwen2.5-coder-1.5b-instruct',
    requests: '24',
    offset: '0',
  };
  const { only, values } = parsePartOptions(args, parts, defaults);
  return [
    ...(only.includes('renewals') ? [await renewalRow(Number(values.renewals))] : []),
    ...(only.includes('many') ? await manyRows(values) : []),
    ...(only.includes('conformance') ? await conformanceRows(values.suite) : []),
    ...(only.includes('processes') ? await processRows(Number(values.starts)) : []),
    ...(only.includes('results') ? shortenedRows() : []),
    ...(only.includes('calls') ? await callRows() : []),
    ...(only.includes('hostile') ? [await hostileServerRow()] : []),
    ...(only.includes('callers') ? await modelRows(values, join(cache, 'models')) : []),
    ...(only.includes('fenced') ? await fencedRows(Number(values.sessions)) : []),
  ];
}

/** Two processes share one sign-in. The service fails at about every fourth renewal, and the key store now and then. */
async function renewalRow(count: number): Promise<BenchRow> {
  const started = performance.now();
  const { lost, reuses, holds, renewals, faults, wanted, failed } = await renewByTwo(count, (env) =>
    fork(process.argv[1] ?? '', ['tools'], { env: { ...process.env, ...env } }),
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  return {
    figure: `two processes renewing one sign-in ${renewals} times: tokens lost`,
    value: lost + reuses + (holds ? 0 : 1),
    unit: '',
    target: { atMost: 0 },
    note: `${faults} faults of the service; ${wanted} wants, ${failed} of them with no token for the moment; ${seconds} s`,
  };
}

async function manyRows(values: { readonly data: string }): Promise<readonly BenchRow[]> {
  const folder = join(values.data, 'bfcl_eval', 'data');
  if (!existsSync(join(folder, files.multiple))) {
    const note = `no data in ${values.data}: pip download bfcl-eval==${version} --no-deps, and unpack the wheel there`;
    const target = { atLeast: 95 };
    return [{ figure: `right tool among the ${shown} found`, value: null, unit: '%', target, note }];
  }
  const multiple = read(folder, files.multiple);
  const pool = poolOf(multiple, most);
  return [
    ...[19, most].map((count) => definitionRow(pool.slice(0, count))),
    await foundRow('right tool among the 5 found', multiple, pool, 95),
    await foundRow(
      'the same, requests as people wrote them',
      read(folder, files.live),
      poolOf(read(folder, files.live), most),
      null,
    ),
    await timeRow(pool),
  ];
}

/** How models do with the same data. */
async function modelRows(
  values: { readonly data: string; readonly models: string; readonly requests: string; readonly offset: string },
  folder: string,
): Promise<readonly BenchRow[]> {
  const data = join(values.data, 'bfcl_eval', 'data');
  if (!existsSync(join(data, files.multiple))) return [];
  const multiple = read(data, files.multiple);
  const { models, requests, offset } = values;
  const callers = { models: models.split(','), folder, count: Number(requests), offset: Number(offset) };
  return callerRows(callers, multiple, poolOf(multiple, most));
}

async function callRows(): Promise<readonly BenchRow[]> {
  const seam = await seamTimes();
  const stdio = await stdioTimes(300);
  const spread = (times: readonly number[]): string =>
    `median of ${times.length}, p99 ${percentile(times, 0.99)?.toFixed(1)} ms`;
  return [
    {
      figure: 'a call through our seam alone, added',
      value: median(seam),
      unit: 'ms',
      target: { atMost: 2 },
      note: `${spread(seam)}: from the answer of the model to its next prompt, without the server`,
    },
    { figure: 'a call through MCP stdio', value: median(stdio), unit: 'ms', target: null, note: spread(stdio) },
  ];
}

async function fencedRows(sessions: number): Promise<readonly BenchRow[]> {
  const sum = { leaked: 0, sent: 0, stopped: 0, open: 0, clean: 0, cleanStopped: 0 };
  const positions = new Map<string, number>();
  for (let seed = 1; seed <= sessions; seed += 1) {
    const fenced = await playFencedTools(seeded(seed), { isFenced: true, touches: true });
    sum.leaked += fenced.leakedBytes;
    sum.sent += fenced.sent;
    sum.stopped += fenced.stopped;
    for (const name of fenced.positions) positions.set(name, (positions.get(name) ?? 0) + 1);
  }
  const controls = Math.min(300, sessions);
  for (let seed = 1; seed <= controls; seed += 1) {
    const bare = await playFencedTools(seeded(seed), { isFenced: false, touches: true });
    sum.open += bare.leakedBytes > 0 ? 1 : 0;
    const free = await playFencedTools(seeded(seed), { isFenced: true, touches: false });
    sum.clean += free.sent;
    sum.cleanStopped += free.stopped;
  }
  const places = [...positions].map(([name, count]) => `${name} ${count}`).join(', ');
  return [
    {
      figure: 'bytes of fenced files in what servers of tools got',
      value: sum.leaked,
      unit: '',
      target: { atMost: 0 },
      note: `${sessions} sessions, ${sum.sent} calls sent, ${sum.stopped} stopped; ${places}`,
    },
    {
      figure: 'the same sessions without fences in which some got through',
      value: (100 * sum.open) / controls,
      unit: '%',
      target: { atLeast: 80 },
      note: `of ${controls}: what shows that the sessions try`,
    },
    {
      figure: 'calls stopped where nothing came near a fenced file',
      value: sum.cleanStopped,
      unit: '',
      target: { atMost: 0 },
      note: `of ${sum.clean + sum.cleanStopped}`,
    },
  ];
}

export function read(folder: string, file: string): readonly AskedCall[] {
  const lines = (path: string): readonly unknown[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): unknown => JSON.parse(line));
  const answers = lines(join(folder, 'possible_answer', file));
  return lines(join(folder, file)).flatMap((one, at) => {
    const answer = answers[at];
    if (!isRecord(one) || !isRecord(answer) || one.id !== answer.id) throw new Error(`${file} is not as expected`);
    const truth: unknown = Array.isArray(answer.ground_truth) ? answer.ground_truth[0] : null;
    const [right, values] = (isRecord(truth) ? Object.entries(truth)[0] : null) ?? [];
    const functions: readonly unknown[] = Array.isArray(one.function) ? one.function : [];
    if (right === undefined || !isRecord(values)) return [];
    return [{ query: textOf(one.question), right, values, tools: functions.flatMap(specOf) }];
  });
}

/** The user's first message. */
function textOf(question: unknown): string {
  const turns: unknown = Array.isArray(question) ? question[0] : null;
  const messages: readonly unknown[] = Array.isArray(turns) ? turns : [];
  return messages
    .map((message) => (isRecord(message) && message.role === 'user' ? String(message.content) : ''))
    .join('\n')
    .trim();
}

function specOf(tool: unknown): readonly ForeignToolSpec[] {
  if (!isRecord(tool) || !isRecord(tool.parameters) || typeof tool.name !== 'string') return [];
  const { name, description, parameters } = tool;
  const inputSchema = { ...parameters, type: 'object' };
  const known = { server: 'bench', tool: name, inputSchema, leaves: true, readsFiles: false } as const;
  return [{ ...known, name: `bench__${name}`, description: String(description) }];
}

/** The first tools of the data, each name once. */
function poolOf(asked: readonly AskedCall[], count: number): readonly ForeignToolSpec[] {
  const pool = new Map<string, ForeignToolSpec>();
  for (const { tools } of asked) for (const tool of tools) if (!pool.has(tool.tool)) pool.set(tool.tool, tool);
  return [...pool.values()].slice(0, count);
}

/** What the connected tools add to the first prompt of a model with a window of 32k. */
function definitionRow(specs: readonly ForeignToolSpec[]): BenchRow {
  const ours = builtInTools(discoverTools(), { now: () => 0 });
  const own = ours.filter((tool) => !isAdded(tool));
  const reader = ours.filter(({ isForResults }) => isForResults === true);
  const all = [...own, ...reader, ...createFindTools(specs), ...specs.map((spec) => createForeignTool(spec, null))];
  const bytes = (tools: typeof all): number => {
    const { system, specs: told } = promptShape(loopModel, tools, { plan: false, canExecute: true });
    return Buffer.byteLength(system) + toolsBytes(told);
  };
  const whole = Buffer.byteLength(
    JSON.stringify(specs.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
  return {
    figure: `definitions of ${specs.length} connected tools in the first prompt, window of 32k`,
    value: Math.ceil((bytes(all) - bytes(own)) / bytesPerToken),
    unit: 'tokens',
    target: { atMost: 1_000 },
    note: `at ${bytesPerToken} bytes a token; all of them whole: ${Math.ceil(whole / bytesPerToken)}`,
  };
}

/** Uses the user's request, word for word, as the query. A model's own query would be shorter. */
async function foundRow(
  figure: string,
  asked: readonly AskedCall[],
  pool: readonly ForeignToolSpec[],
  atLeast: number | null,
): Promise<BenchRow> {
  const names = new Set(pool.map(({ tool }) => tool));
  const fit = asked.filter(({ right }) => names.has(right));
  let found = 0;
  let first = 0;
  for (const { query, right } of fit) {
    const best = (await searchTools(pool, query)).slice(0, shown).map(({ tool }) => tool);
    if (best.includes(right)) found += 1;
    if (best[0] === right) first += 1;
  }
  return {
    figure,
    value: (100 * found) / fit.length,
    unit: '%',
    target: atLeast === null ? null : { atLeast },
    note: `${found} of ${fit.length} requests over ${pool.length} tools of bfcl-eval ${version}; ${first} of them first`,
  };
}

async function timeRow(pool: readonly ForeignToolSpec[]): Promise<BenchRow> {
  await searchTools([...pool], 'warm up');
  // Another array is another list of tools: the first search in each makes its index.
  const other = [...pool];
  const started = performance.now();
  await searchTools(other, 'find the area of a triangle');
  const note = 'the first of a turn, which makes the index';
  return {
    figure: `a search among ${pool.length} tools`,
    value: performance.now() - started,
    unit: 'ms',
    target: null,
    note,
  };
}
