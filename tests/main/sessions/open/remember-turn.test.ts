import { expect, it } from 'vitest';
import type { OpenSession } from '../../../../src/main/sessions/open/open-session.ts';
import { atRest, closeSession, rememberTurn } from '../../../../src/main/sessions/open/open-session.ts';

/** Catches: a home that is still written to after the program has closed its sessions. */
it('a session closes after all that a turn leaves behind is written', async () => {
  const order: string[] = [];
  const learned = Promise.withResolvers<void>();
  const session = {
    ...atRest,
    journal: { state: () => ({ approvals: [] }), close: async () => undefined },
    approver: { setInteractive: () => undefined },
    agents: { settle: async () => undefined },
    savedCalls: { end: async () => undefined },
    fences: { remember: async () => order.push('fences') },
  } as unknown as OpenSession;
  void rememberTurn(
    session,
    learned.promise.then(() => order.push('learned')),
    new AbortController().signal,
  );
  const closed = closeSession(session).then(() => order.push('closed'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  learned.resolve();
  await closed;
  expect(order).toEqual(['fences', 'learned', 'closed']);
});
