import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { textMessage } from '@shared/models/model-messages.ts';
import { createLlamaEngine } from '../../src/main/models/engine/llama-engine.ts';
import { findDataFolders } from '../../src/main/lib/files/data-folders.ts';
import type { ModelRequest, Provider } from '../../src/main/models/providers/define.ts';
import { localProvider } from './local-provider.ts';
import type { BenchRow } from './rows.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';

const turns = 30;
const model = 'smollm2-135m-instruct';

/** The tokens that a call reused from its prompt, and the tokens that the call before had left in the engine. */
interface Reuse {
  readonly inLoop: boolean;
  readonly reusable: number;
  readonly reused: number;
}

/**
 * A session of 30 turns with a real model. Each turn is a message, a tool call, its result, a second call, its result
 * and an answer. What the engine has computed is reusable: the prompt before and its answer, except for the last token
 * of the answer, which was chosen but not computed.
 */
export async function sessionReuseRows(): Promise<readonly BenchRow[]> {
  const modelPath = join(findDataFolders(process.env, process.platform).cache, 'models', `${model}.gguf`);
  if (!existsSync(modelPath)) return rowsOf([]);
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-bench-reuse-'));
  const workerPath = resolve('out/main/llama-worker.cjs');
  const llama = createLlamaEngine({
    nodePath: process.execPath,
    workerPath,
    programs: testPrograms(),
    now: () => performance.now(),
  });
  try {
    const provider = localProvider(llama, { folder, modelPath, contextTokens: 8_192, threads: null });
    return rowsOf(await runSession(provider));
  } finally {
    await llama.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSession(provider: Provider): Promise<readonly Reuse[]> {
  const messages: Message[] = [
    textMessage('system', 'You are a programmer. You read files before you answer, briefly.'),
  ];
  const calls: Reuse[] = [];
  let left = 0;
  const step = async (output: ModelRequest['output'], inLoop: boolean): Promise<readonly Part[]> => {
    const { parts, promptTokens, cacheRead, outputTokens } = await ask(provider, messages, output);
    // The last token of a prompt is always computed: the answer is sampled from it.
    calls.push({ inLoop, reusable: Math.min(left, promptTokens - 1), reused: cacheRead });
    left = promptTokens + Math.max(0, outputTokens - 1);
    messages.push({ role: 'assistant', parts: [...parts] });
    return parts;
  };
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push(textMessage('user', `Task ${turn}: look at part ${turn * 3} and say whether it is right.`));
    for (const number of [1, 2]) {
      const parts = await step({ type: 'tool-calls' }, number > 1);
      const results = parts.flatMap((part): Part[] =>
        part.type === 'tool-call'
          ? [
              {
                type: 'tool-result',
                id: part.id,
                name: part.name,
                text: `line ${turn}: ok = ${number}`,
                isError: false,
              },
            ]
          : [],
      );
      messages.push({ role: 'tool', parts: results });
    }
    await step({ type: 'text' }, true);
  }
  return calls;
}

async function ask(
  provider: Provider,
  messages: readonly Message[],
  output: ModelRequest['output'],
): Promise<{
  readonly parts: readonly Part[];
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly outputTokens: number;
}> {
  const asked: ModelRequest = {
    model,
    messages: [...messages],
    tools: [{ name: 'read', description: 'Reads a file.', inputSchema }],
    output,
    prefill: null,
    stop: [],
    temperature: 0.7,
    topP: 0.95,
    seed: messages.length,
    maxOutputTokens: output.type === 'text' ? 12 : 60,
    cacheKey: 'session',
  };
  let text = '';
  const parts: Part[] = [];
  for await (const part of provider.stream(asked, new AbortController().signal)) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'tool-call') parts.push(part.call);
    if (part.type !== 'ended') continue;
    if (part.error !== null) throw new Error(part.error.message);
    const { freshInput, cacheRead, output: outputTokens } = part.usage;
    if (text !== '') parts.unshift({ type: 'text', text });
    return { parts, promptTokens: freshInput + cacheRead, cacheRead, outputTokens };
  }
  throw new Error('The stream has no end.');
}

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string', maxLength: 16 }, line: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
};

function rowsOf(calls: readonly Reuse[]): readonly BenchRow[] {
  const row = (figure: string, which: readonly Reuse[], atLeast: number): BenchRow => {
    const reusable = which.reduce((sum, call) => sum + call.reusable, 0);
    const reused = which.reduce((sum, call) => sum + Math.min(call.reused, call.reusable), 0);
    return {
      figure,
      value: reusable === 0 ? null : (reused / reusable) * 100,
      unit: '%',
      target: { atLeast },
      note: `${reused} of ${reusable} tokens, ${which.filter((call) => call.reused < call.reusable).length} of ${which.length} calls read less than they could; ${model}, ${turns} turns of 3 calls`,
    };
  };
  return [
    row('reusable prompt tokens really reused, a session', calls, 98),
    row(
      'the same inside a tool loop',
      calls.filter((call) => call.inLoop),
      100,
    ),
  ];
}
