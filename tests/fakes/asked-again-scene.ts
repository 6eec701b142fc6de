import type { AskedAgain, CallAnswer } from '../../src/shared/comparisons/asked-again.ts';

const answer = (model: string, tool: string | null, target: string | null, costUsd: number): CallAnswer => ({
  model,
  tool,
  target,
  promptTokens: 2_400,
  outputTokens: 120,
  seconds: costUsd === 0 ? 6 : 2,
  costUsd,
});

/** What a cloud model did with the requests of a local one: the same, another file, and words. */
export const askedAgainRows: readonly AskedAgain[] = [
  {
    step: 1,
    purpose: 'act',
    before: answer('local', 'read_file', 'dates.py', 0),
    again: { type: 'answered', agreement: 'target', ...answer('cloud', 'read_file', 'dates.py', 0.0031) },
  },
  {
    step: 2,
    purpose: 'act',
    before: answer('local', 'edit_file', 'dates.py', 0),
    again: { type: 'answered', agreement: 'tool', ...answer('cloud', 'edit_file', 'tests/test_dates.py', 0.0034) },
  },
  {
    step: 3,
    purpose: 'act',
    before: answer('local', 'run_tests', '{"command":"python3 -m pytest -q"}', 0),
    again: { type: 'not-asked', why: 'the text must not leave this machine', costUsd: 0 },
  },
];

interface Asked {
  readonly input: { readonly model: string; readonly callId?: string | undefined; readonly maxUsd?: number | null };
  readonly signal?: AbortSignal | undefined;
}

/** Answers of the core to a person who asks another model. It waits after two rows until the person cancels. */
export function askAgainHandlers(note: (name: string, ...args: readonly unknown[]) => void) {
  const isCloud = (model: string): boolean => !model.startsWith('llama-cpp/');
  return {
    expectAgain: ({ input: { model, callId } }: Asked) => {
      const calls = callId === undefined ? askedAgainRows.length : 1;
      const costUsd = isCloud(model) ? 0.0033 * calls : 0;
      return { calls, promptTokens: 2_400 * calls, outputTokens: 120 * calls, costUsd, isSent: isCloud(model) };
    },
    askAgain: async function* ({ input: { model, callId, maxUsd }, signal }: Asked) {
      note('askAgain', model, callId ?? null, maxUsd);
      const [first] = askedAgainRows;
      if (callId !== undefined && first !== undefined) return void (yield first);
      for (const row of askedAgainRows.slice(0, 2)) yield row;
      if (maxUsd === 5) await new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null)));
      else yield* askedAgainRows.slice(2);
    },
  };
}
