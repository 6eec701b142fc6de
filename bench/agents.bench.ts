import { promptShape } from '../src/main/agent/prompt/build-prompt.ts';
import { isAdded } from '../src/main/agent/prompt/tool-descriptions.ts';
import { toolsBytes } from '../src/main/agent/prompt/token-estimate.ts';
import { createAgentTools } from '../src/main/tools/agents/agent-tools.ts';
import { builtInTools, discoverTools } from '../src/main/tools/registry.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { loopModel } from '../tests/fakes/agent-kit.ts';
import { parsePartOptions } from './lib/part-options.ts';
import { programRows } from './lib/program-rows.ts';
import type { BenchRow } from './lib/rows.ts';

const parts = {
  prompt: async () => [promptRow()],
  programs: programRows,
} as const satisfies Readonly<Record<string, () => Promise<readonly BenchRow[]>>>;

/** Measures what the tools for agents add to a prompt, and what a call of a program that calls tools takes. */
export async function run(args: readonly string[]): Promise<readonly BenchRow[]> {
  const { only } = parsePartOptions(args, parts, {});
  const rows: BenchRow[] = [];
  for (const name of only) rows.push(...(await parts[name]()));
  return rows;
}

/** The bytes of a token in such a text, with the usual tokenizer. */
const bytesPerToken = 4;

function promptRow(): BenchRow {
  const own = builtInTools(discoverTools(), { now: () => 0 }).filter(
    (tool) => tool.name !== 'update_plan' && !isAdded(tool),
  );
  const sizeOf = (tools: typeof own): number => {
    const shape = promptShape(loopModel, tools, { mode: 'work', canExecute: true });
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
