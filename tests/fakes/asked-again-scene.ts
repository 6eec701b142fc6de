import type { AgainPush, AskedAgain, AskedSession, CallAnswer } from '../../src/shared/comparisons/asked-again.ts';
import type { AgainInput } from '../../src/shared/contract/endpoint-contract.ts';

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

/** Two sessions that were asked again. The second could not be read. */
export const askedAgainSessions: readonly AskedSession[] = [
  { sessionId: 'fix', rows: askedAgainRows, failure: null, isCut: false },
  {
    sessionId: 'gone',
    rows: [],
    failure: { code: 'not-found', message: 'The folder /home/ada/api-server was not found.' },
    isCut: false,
  },
];

interface Asked {
  readonly input: AgainInput & { readonly maxUsd?: number | null };
  readonly signal?: AbortSignal | undefined;
}

/**
 * Answers of the core to a person who asks another model. With a limit of 5 it waits after two rows until the person
 * cancels, and then knows them when it is asked again.
 */
export function askAgainHandlers(note: (name: string, ...args: readonly unknown[]) => void) {
  const isCloud = (model: string): boolean => !model.startsWith('llama-cpp/');
  const answered = new Map<string, number>();
  const callIdOf = ({ which }: AgainInput) => ('callId' in which ? which.callId : undefined);
  return {
    expectAgain: ({ input }: Asked) => {
      const { model, which, isResuming } = input;
      const all = callIdOf(input) === undefined ? askedAgainRows.length : 1;
      const kept = callIdOf(input) === undefined ? (answered.get(model) ?? 0) : 0;
      const calls = isResuming ? all - kept : all;
      const costUsd = isCloud(model) ? 0.0033 * calls : 0;
      const sessions = 'since' in which ? 2 : which.sessionIds.length;
      const unread = 'since' in which ? 1 : 0;
      const tokens = { promptTokens: 2_400 * calls, outputTokens: 120 * calls };
      const sums = { costUsd, batchUsd: isCloud(model) ? costUsd / 2 : null };
      return { sessions, unread, kept, calls, ...tokens, ...sums, isSent: isCloud(model) };
    },
    askAgain: async function* ({ input, signal }: Asked): AsyncGenerator<AgainPush> {
      const { model, which, isResuming, maxUsd } = input;
      note('askAgain', model, callIdOf(input) ?? null, maxUsd, isResuming);
      const sessionId = 'since' in which ? 'fix' : (which.sessionIds[0] ?? '');
      const kept = isResuming ? (answered.get(model) ?? 0) : 0;
      const rows = askedAgainRows.map((row, at) => (at < kept ? { ...row, isKept: true } : row));
      const [first] = rows;
      if (callIdOf(input) !== undefined && first !== undefined)
        return void (yield { type: 'call', sessionId, row: first });
      for (const row of rows.slice(0, 2)) yield { type: 'call', sessionId, row };
      if (maxUsd === 5) {
        answered.set(model, 2);
        await new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null)));
        return;
      }
      for (const row of rows.slice(2)) yield { type: 'call', sessionId, row };
      yield { type: 'session', sessionId, failure: null, isCut: false };
      if (!('since' in which)) return;
      const [, gone] = askedAgainSessions;
      yield { type: 'session', sessionId: 'gone', failure: gone?.failure ?? null, isCut: false };
    },
  };
}
