import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectedToolSpec } from '../src/main/tools/connected/connected-tool-spec.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { promptShape } from '../src/main/agent/prompt/build-prompt.ts';
import { toolsBytes } from '../src/main/agent/prompt/token-estimate.ts';
import { isAdded } from '../src/main/agent/prompt/tool-descriptions.ts';
import { findDataFolders } from '../src/main/lib/files/data-folders.ts';
import { createFindTools, searchTools } from '../src/main/tools/connected/find-tools.ts';
import { createConnectedTool } from '../src/main/tools/connected/connected-tool.ts';
import { builtInTools, discoverTools } from '../src/main/tools/registry.ts';
import { loopModel } from '../tests/fakes/agent-kit.ts';
import type { AskedCall } from './lib/model-callers.ts';
import { callerRows } from './lib/model-callers.ts';
import { conformanceRows } from './lib/conformance-rows.ts';
import { parsePartOptions } from './lib/part-options.ts';
import type { BenchRow } from './lib/rows.ts';
import { serverStartRows } from './lib/server-start-rows.ts';
import { median, percentile } from './lib/statistics.ts';
import { computingRows, talkRows } from './lib/talk-rows.ts';
import { tableRows } from './lib/table-rows.ts';
import { talkAmongRows, talkWaitRows } from './lib/talk-wait-rows.ts';
import { seamTimes, stdioTimes } from './lib/tool-call-times.ts';

/** The version of the data set, which is only measured with, never tuned on. Download it by hand, once. */
const version = '2026.3.23';
const most = 300;
const shown = 5;
/** Low for JSON, so that token counts are never too small. */
const bytesPerToken = 2.8;

const files = { multiple: 'BFCL_v4_multiple.json', live: 'BFCL_v4_live_multiple.json' } as const;

/** Measures many connected tools, conformance with the protocol, and what a call takes. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { cache } = findDataFolders(process.env, process.platform);
  const parts = {
    many: null,
    conformance: null,
    calls: null,
    callers: null,
    talks: null,
    computing: null,
    waits: null,
    among: null,
    tables: null,
    servers: null,
  };
  const defaults = {
    data: join(cache, 'bench', 'bfcl-eval'),
    suite: join(cache, 'bench', 'mcp-conformance'),
    models: 'qwen2.5-coder-0.5b-instruct,qwen2.5-coder-1.5b-instruct',
    requests: '24',
    offset: '0',
    talks: 'bench/data/talks.json',
    waits: 'bench/data/talk-waits.json',
    questions: 'bench/data/table-questions.json',
    servers: 'bench/data/tool-servers.json',
  };
  const { only, values } = parsePartOptions(args, parts, defaults);
  return [
    ...(only.includes('many') ? await manyRows(values) : []),
    ...(only.includes('conformance') ? await conformanceRows(values.suite) : []),
    ...(only.includes('calls') ? await callRows() : []),
    ...(only.includes('talks')
      ? await talkRows(values.talks, join(cache, 'models', 'qwen2.5-coder-1.5b-instruct.gguf'))
      : []),
    ...(only.includes('computing')
      ? await computingRows(values.talks, join(cache, 'models', 'qwen2.5-coder-1.5b-instruct.gguf'))
      : []),
    ...(only.includes('waits')
      ? await talkWaitRows(values.waits, join(cache, 'models', 'qwen2.5-coder-1.5b-instruct.gguf'))
      : []),
    ...(only.includes('among')
      ? await talkAmongRows(values.waits, join(cache, 'models', 'qwen2.5-coder-1.5b-instruct.gguf'))
      : []),
    ...(only.includes('tables')
      ? await tableRows(values.questions, join(cache, 'models', 'qwen2.5-coder-1.5b-instruct.gguf'))
      : []),
    ...(only.includes('servers') ? serverStartRows(values.servers) : []),
    ...(only.includes('callers') ? await modelRows(values, join(cache, 'models')) : []),
  ];
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

function specOf(tool: unknown): readonly ConnectedToolSpec[] {
  if (!isRecord(tool) || !isRecord(tool.parameters) || typeof tool.name !== 'string') return [];
  const { name, description, parameters } = tool;
  const inputSchema = { ...parameters, type: 'object' };
  const known = { server: 'bench', tool: name, inputSchema, leaves: true, readsFiles: false } as const;
  return [{ ...known, name: `bench__${name}`, description: String(description) }];
}

/** The first tools of the data, each name once. */
function poolOf(asked: readonly AskedCall[], count: number): readonly ConnectedToolSpec[] {
  const pool = new Map<string, ConnectedToolSpec>();
  for (const { tools } of asked) for (const tool of tools) if (!pool.has(tool.tool)) pool.set(tool.tool, tool);
  return [...pool.values()].slice(0, count);
}

/** What the connected tools add to the first prompt of a model with a window of 32k. */
function definitionRow(specs: readonly ConnectedToolSpec[]): BenchRow {
  const ours = builtInTools(discoverTools(), { now: () => 0 });
  const own = ours.filter((tool) => !isAdded(tool));
  const reader = ours.filter(({ needs }) => needs === 'results');
  const all = [...own, ...reader, ...createFindTools(specs), ...specs.map((spec) => createConnectedTool(spec, null))];
  const bytes = (tools: typeof all): number => {
    const { system, specs: told } = promptShape(loopModel, tools, { mode: 'work', canExecute: true });
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
  pool: readonly ConnectedToolSpec[],
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

async function timeRow(pool: readonly ConnectedToolSpec[]): Promise<BenchRow> {
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
