import { InputLookupTokenPredictor, LlamaLogLevel } from 'node-llama-cpp';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { openLibrary } from '../../src/main/models/engine/worker/load/open-library.ts';
import type { BenchRow } from './rows.ts';
import { median } from './statistics.ts';

const outputTokens = 160;
const kinds = ['plain', 'shares', 'lookup'] as const;
type Kind = (typeof kinds)[number];

/**
 * Measures what it costs to ask for the likelihood of each token, and what it gains to look ahead in the prompt, for an
 * edit that rewrites its file. Uses processor time on one thread, which other programs do not change.
 */
export async function decodeCostRows(modelPath: string): Promise<readonly BenchRow[]> {
  const llama = await openLibrary('off');
  llama.logLevel = LlamaLogLevel.error;
  llama.maxThreads = 1;
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: 2048, sequences: 2, threads: 1 });
  const lookup = new InputLookupTokenPredictor({ patternLength: { min: 3 }, predictionLength: { max: 6 } });
  const plain = context.getSequence();
  const ahead = context.getSequence({ tokenPredictor: lookup });
  const prompt = model.tokenize(editPrompt(), true);
  const run = async (kind: Kind): Promise<number> => {
    const sequence = kind === 'lookup' ? ahead : plain;
    await sequence.clearHistory();
    if (kind === 'lookup') lookup.updateInputTokens(prompt);
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(0, -1));
    const before = process.cpuUsage();
    let written = 0;
    for await (const _ of sampled(sequence, prompt.slice(-1), kind)) {
      written += 1;
      if (written === outputTokens) break;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / written;
  };
  await run('plain');
  const times: Record<Kind, number[]> = { plain: [], shares: [], lookup: [] };
  for (const kind of [...kinds, ...[...kinds].reverse()]) times[kind].push(await run(kind));
  const { used, refuted } = ahead.tokenPredictions;
  await context.dispose();
  await model.dispose();
  const base = median(times.plain) ?? 0;
  const share = (kind: Kind): number => ((median(times[kind]) ?? 0) / base) * 100;
  const note = `${base.toFixed(1)} ms of the processor a token, one thread, ${outputTokens} tokens, A/B/C/C/B/A`;
  return [
    { figure: 'writing with the likelihood of each token', value: share('shares'), unit: '%', target: null, note },
    {
      figure: 'an edit that writes its file again, looking ahead in the prompt',
      value: share('lookup'),
      unit: '%',
      target: null,
      note: `${note}; ${used} tokens foreseen, ${refuted} in vain`,
    },
  ];
}

async function* sampled(sequence: LlamaContextSequence, tokens: Token[], kind: Kind): AsyncIterable<unknown> {
  if (kind === 'shares') yield* sequence.evaluateWithMetadata(tokens, { confidence: true }, { temperature: 0 });
  else yield* sequence.evaluate(tokens, { temperature: 0 });
}

function editPrompt(): string {
  const file = Array.from(
    { length: 14 },
    (_, index) => `def step_${index}(value):\n    total = value + ${index * 7}\n    return total\n`,
  ).join('\n');
  return `<|im_start|>user\nWrite this file again, but let step_3 subtract:\n\`\`\`python\n${file}\`\`\`<|im_end|>\n<|im_start|>assistant\n\`\`\`python\n`;
}
