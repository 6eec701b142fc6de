import { join } from 'node:path';
import { promptShape } from '../src/main/agent/prompt/build-prompt.ts';
import { isAdded } from '../src/main/agent/prompt/tool-descriptions.ts';
import { toolsBytes } from '../src/main/agent/prompt/token-estimate.ts';
import { createAgentTools } from '../src/main/tools/agents/agent-tools.ts';
import { builtInTools, discoverTools } from '../src/main/tools/registry.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { loopModel } from '../tests/fakes/agent-kit.ts';
import { sumOfRuns } from './lib/cap-runs.ts';
import { runPurses } from './lib/child-purses.ts';
import { runChildTree } from './lib/child-trees.ts';
import { runHostileChildren } from './lib/hostile-children.ts';
import { handOverRows, readHandOvers, recordHandOvers } from './lib/hand-overs.ts';
import type { Setting } from './lib/machine.ts';
import { parsePartOptions } from './lib/part-options.ts';
import { programRows } from './lib/program-rows.ts';
import type { BenchRow } from './lib/rows.ts';
import { seeded } from './lib/seeded.ts';

const trees = 10_000;
const purses = 10_000;
const hostile = 200;

const defaults = { hostile: '1000', record: 'none', count: '30', except: 'none', answers: 'yes' } as const;

type Values = Readonly<Record<keyof typeof defaults, string>>;

const parts: Readonly<
  Record<'children' | 'programs' | 'hand-over', (values: Values, commit: string) => Promise<readonly BenchRow[]>>
> = {
  children: async () => [await treeRow(), await purseRow(), await hostileRow(), promptRow()],
  programs: ({ hostile: count }) => programRows(Number(count)),
  'hand-over': handOvers,
};

/**
 * Measures agents that an agent starts: whether any gets more than its tree and its parent may have, and what they add
 * to a prompt. Also runs programs that call tools, `--hostile` of them hostile, and counts what a model that takes over
 * has to look up again.
 */
export async function run(args: readonly string[], { commit }: Setting): Promise<readonly BenchRow[]> {
  const { only, values } = parsePartOptions(args, parts, defaults);
  const rows: BenchRow[] = [];
  for (const name of only) rows.push(...(await parts[name](values, commit)));
  return rows;
}

/**
 * Reads the recorded hand-overs. With `--record FILE`, real runs add to that file, without the tasks that `--except
 * FILE` has. With `--answers no`, the local model's time is over before it is asked.
 */
async function handOvers({ record, count, except, answers }: Values, commit: string): Promise<readonly BenchRow[]> {
  if (record === 'none') return handOverRows(await readHandOvers(join(process.cwd(), 'bench/data/hand-overs.jsonl')));
  const known = new Set(except === 'none' ? [] : (await readHandOvers(except)).map(({ task }) => task));
  const asked = { hasAnswers: answers !== 'no', tasks: ({ id }: { readonly id: string }) => !known.has(id) };
  await recordHandOvers({ file: record, count: Number(count), commit, ...asked });
  return handOverRows(await readHandOvers(record));
}

async function treeRow(): Promise<BenchRow> {
  const random = seeded(31);
  const sum = await sumOfRuns(trees, () => runChildTree(random));
  return {
    figure: 'children beyond a cap of their tree, in sum, at once or in depth',
    value: sum.beyond,
    unit: '',
    target: { atMost: 0 },
    note: `${trees} trees with forks and restarts: ${sum.granted} let in, ${sum.refused} refused`,
  };
}

async function purseRow(): Promise<BenchRow> {
  const random = seeded(32);
  const sum = await sumOfRuns(purses, () => runPurses(random));
  return {
    figure: "moments with more money spent or held than a child's parent may, or a child by itself",
    value: sum.beyond,
    unit: '',
    target: { atMost: 0 },
    note: `${purses} schedules of calls side by side: ${sum.granted} granted, ${sum.refused} refused`,
  };
}

async function hostileRow(): Promise<BenchRow> {
  const { effects, attempts, scripts, children } = await runHostileChildren(hostile, seeded(33));
  return {
    figure: 'effects that nobody approved, of hostile children through the whole core',
    value: effects.length,
    unit: '',
    target: { atMost: 0 },
    note: `${scripts} scripts of ${attempts} attempts, ${children} children${effects.length === 0 ? '' : `: ${effects.slice(0, 3).join('; ')}`}`,
  };
}

/** The bytes of a token in such a text, with the usual tokenizer. */
const bytesPerToken = 4;

function promptRow(): BenchRow {
  const own = builtInTools(discoverTools(), { now: () => 0 }).filter(
    (tool) => tool.name !== 'update_plan' && !isAdded(tool),
  );
  const sizeOf = (tools: typeof own): number => {
    const shape = promptShape(loopModel, tools, { plan: false, canExecute: true });
    return (
      (Buffer.byteLength(JSON.stringify([textMessage('system', shape.system)])) + toolsBytes(shape.specs)) /
      bytesPerToken
    );
  };
  const without = sizeOf(own);
  const whole = sizeOf([...own, ...createAgentTools({ kinds: [] }, null)]);
  return {
    figure: 'first prompt of a large model with all tools that are on by default',
    value: Math.round(whole),
    unit: 'tokens',
    target: { atMost: 2000 },
    note: `${Math.round(whole - without)} of them for agents; bytes by ${bytesPerToken}`,
  };
}
