import { describe, expect, it } from 'vitest';
import { createLlamaCounters } from '../../../../../src/main/models/engine/worker/llama-counters.ts';

/** An engine that prints only at the information level and one turn of the event loop later, as the real one does. */
function printing(text: string) {
  const counters = createLlamaCounters();
  const levels = { info: 'info', error: 'error' };
  const llama = { logLevel: levels.error };
  const print = async (): Promise<void> => {
    if (llama.logLevel === levels.info) setImmediate(() => counters.hear(text));
  };
  return { llama, take: () => counters.take({ llama, levels, context: { printTimings: print } }) };
}

const perf = (prompt: string, answer: string): string =>
  [
    'llama_perf_context_print:        load time =     120.10 ms',
    `llama_perf_context_print: prompt eval time = ${prompt} (    1.00 ms per token,  1000.00 tokens per second)`,
    `llama_perf_context_print:        eval time = ${answer} (    2.00 ms per token,   500.00 tokens per second)`,
    'llama_perf_context_print:       total time =     999.00 ms /   200 tokens',
  ].join('\n');

describe('the counters of the engine', () => {
  it('are read from its output, which is silent again afterwards', async () => {
    const { take, llama } = printing(perf('    412.55 ms /    96 tokens', '    301.25 ms /    47 runs  '));
    expect(await take()).toEqual({ readTokens: 96, readMs: 412.55, writtenTokens: 47, writtenMs: 301.25 });
    expect(llama.logLevel).toBe('error');
  });

  it('are zero for work that took no time', async () => {
    const { take } = printing(perf('      0.00 ms /     1 tokens', '    301.25 ms /    48 runs  '));
    expect(await take()).toEqual({ readTokens: 0, readMs: 0, writtenTokens: 48, writtenMs: 301.25 });
  });

  it('are unknown when the output differs', async () => {
    const { take } = printing('llama_perf: 12 tokens per second');
    expect(await take()).toBeNull();
  });
});
