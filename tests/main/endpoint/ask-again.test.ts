import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { askedSessions, type AskedAgain } from '../../../src/shared/comparisons/asked-again.ts';
import { itemsOf } from '../../fakes/core-client.ts';
import { ended } from '../../fakes/agent-kit.ts';
import type { EndpointKit } from '../../fakes/endpoint-kit.ts';
import { endless, openEndpointKit, saying } from '../../fakes/endpoint-kit.ts';

/** Catches: a second opinion that runs tools, passes fences or limits, or is paid for without being asked for. */
let kit: EndpointKit;
beforeEach(async () => {
  kit = await openEndpointKit();
});
afterEach(() => kit.close());

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const done = (summary: string) => ({ name: 'task_complete', input: { summary } });

/** A session in which the local model writes a note and then says that it is done. */
async function session(text = 'Write a note.', projectPath: string | null = null): Promise<string> {
  let turn = 0;
  kit.answerWith((request, signal) => {
    turn += 1;
    const call = turn === 1 ? { name: 'write_file', input: { path: 'note.md', content: 'Hello.\n' } } : done('Noted.');
    return saying(call)(request, signal);
  });
  const { sessionId } = await kit.core.client.sessions.create({ projectPath });
  const options = { policy: 'local', strategy: 'loop', mode: 'work', interactive: false, approve: 'allow' };
  await kit.core.client.sessions.send({ sessionId, text, options: runOptionsSchema.parse(options) });
  expect(await kit.core.client.sessions.result({ sessionId })).toMatchObject({ status: 'done' });
  return sessionId;
}

interface Asking {
  readonly callId?: string;
  readonly isResuming?: boolean;
  readonly signal?: AbortSignal;
}

/** The rows of one session. Rejects if it failed. */
async function askAgain(
  sessionId: string,
  model: string,
  maxUsd: number | null = null,
  { callId, signal, isResuming = false }: Asking = {},
): Promise<readonly AskedAgain[]> {
  const which = { sessionIds: [sessionId], ...(callId === undefined ? {} : { callId }) };
  const input = { which, model, maxUsd, isResuming };
  const pushes = await itemsOf(kit.core.client.endpoint.askAgain(input, signal === undefined ? {} : { signal }));
  const [session] = askedSessions(pushes);
  if (session !== undefined && session.failure !== null) throw new Error(session.failure.message);
  return session?.rows ?? [];
}
const agreements = (rows: readonly AskedAgain[]) =>
  rows.map(({ again }) => (again.type === 'answered' ? again.agreement : again.why));
const set = (key: string, value: unknown): Promise<unknown> => kit.core.client.settings.set({ key, value });

describe('another model that is asked the requests of a session', () => {
  it('gets what was recorded, and is compared by tool and target', async () => {
    const sessionId = await session();
    const before = kit.asked.length;
    let turn = 0;
    kit.answerWith((request, signal) => {
      turn += 1;
      const call = turn === 1 ? { name: 'write_file', input: { path: 'other.md', content: '' } } : done('Noted.');
      return saying(call)(request, signal);
    });
    const rows = await askAgain(sessionId, 'sky/script');
    expect(agreements(rows)).toEqual(['tool', 'target']);
    expect(rows[0]).toMatchObject({
      before: { model: 'script/script', tool: 'write_file', target: 'note.md' },
      again: { model: 'sky/script', tool: 'write_file', target: 'other.md' },
    });
    const [first, second] = kit.asked.slice(before);
    expect(first).toMatchObject({ provider: 'sky' });
    expect(JSON.stringify(first?.request.messages)).toContain('Write a note.');
    // The second request has what the recorded model did, not what this one would have done.
    expect(JSON.stringify(second?.request.messages)).toContain('note.md');
    expect(JSON.stringify(second?.request.messages)).not.toContain('other.md');
  });

  it('is priced before it is asked, for all of the session or one call', async () => {
    const sessionId = await session();
    const before = kit.asked.length;
    const { endpoint, sessions } = kit.core.client;
    const which = { sessionIds: [sessionId] };
    const all = await endpoint.expectAgain({ which, model: 'sky/script' });
    expect(all).toMatchObject({ calls: 2, isSent: true });
    const { state } = await sessions.show({ sessionId });
    const [first] = state.steps;
    const callId = first?.callId ?? '';
    const one = await endpoint.expectAgain({ which: { ...which, callId }, model: 'sky/script' });
    expect(one.calls).toBe(1);
    expect(one.promptTokens).toBeLessThan(all.promptTokens);
    expect(one.costUsd ?? 0).toBeGreaterThan(0);
    expect(one.costUsd ?? 0).toBeLessThan(all.costUsd ?? 0);
    expect(await endpoint.expectAgain({ which, model: 'script/script' })).toMatchObject({ isSent: false });
    expect(kit.asked).toHaveLength(before);
    kit.answerWith(saying(done('Noted.')));
    const rows = await askAgain(sessionId, 'sky/script', null, { callId });
    expect(rows.map(({ step }) => step)).toEqual([first?.step]);
    await expect(endpoint.expectAgain({ which, model: 'sky/none' })).rejects.toThrow('was not found');
  });

  it('changes neither the log of the session nor its files, and keeps no word of an answer beside it', async () => {
    const sessionId = await session();
    const log = join(kit.home, 'sessions', sessionId, 'events.jsonl');
    const before = await readFile(log, 'utf8');
    const folder = await readdir(join(kit.home, 'sessions', sessionId));
    kit.answerWith(saying({ name: 'write_file', input: { path: 'note.md', content: 'Other.\n' } }));
    await askAgain(sessionId, 'script/script');
    expect(await readFile(log, 'utf8')).toBe(before);
    const added = (await readdir(join(kit.home, 'sessions', sessionId))).filter((name) => !folder.includes(name));
    expect(added).toEqual([expect.stringMatching(/^asked-again-[0-9a-f]{16}\.jsonl$/u)]);
    const kept = await readFile(join(kit.home, 'sessions', sessionId, added[0] ?? ''), 'utf8');
    expect(kept).toContain('"agreement":"target"');
    expect(kept).not.toContain('note.md');
  });

  it('is told apart where it answers in words', async () => {
    const sessionId = await session();
    kit.answerWith(saying('I would rather not.'));
    expect(agreements(await askAgain(sessionId, 'sky/script'))).toEqual(['other', 'other']);
  });

  it('is in the costs, and stops before the amount that all of it may cost', async () => {
    const sessionId = await session();
    const spent = async (): Promise<number> => (await kit.core.client.costs({ by: 'day' })).total.costUsd;
    const first = await spent();
    kit.answerWith(saying(done('Noted.')));
    await askAgain(sessionId, 'sky/script', 0);
    expect(await spent()).toBe(first);
    const rows = await askAgain(sessionId, 'sky/script', 5);
    expect(rows.every(({ again }) => again.type === 'answered')).toBe(true);
    expect(await spent()).toBeGreaterThan(first);
    expect(await spent()).toBeLessThanOrEqual(first + 5);
  });

  it('does not get what the rules of today keep on this machine, and a local one does', async () => {
    const sessionId = await session('Write a note about Project Heron.');
    kit.answerWith(saying(done('Noted.')));
    await set('fences.rules', [{ pattern: 'Project Heron', verdict: 'local-only' }]);
    const before = kit.asked.length;
    const rows = await askAgain(sessionId, 'sky/script');
    expect(rows).toHaveLength(2);
    for (const why of agreements(rows)) expect(why).toContain('must not leave this machine');
    expect(kit.asked).toHaveLength(before);
    expect(agreements(await askAgain(sessionId, 'script/script'))).toEqual(['other', 'target']);
  });

  describe('and a file that the rules cover', () => {
    const row = 'Ada Lovelace;Kastanienallee 12;ada.lovelace.of.kastanien@example.org;1815-12-10';
    let project = '';
    beforeEach(async () => {
      project = await mkdtemp(join(tmpdir(), 'dewpoint-project-'));
      await mkdir(join(project, 'data'));
      await writeFile(join(project, 'data', 'customers.csv'), `${row}\n`);
    });
    afterEach(() => rm(project, { recursive: true, force: true }));

    it('is not asked with an image that it does not see', async () => {
      await writeFile(join(project, 'shot.png'), Buffer.from(pixel, 'base64'));
      await set('providers.eye', { kind: 'scripted', replies: [], images: true });
      await set('local', 'eye/script');
      const sessionId = await session('Look at @shot.png and write a note.', project);
      const before = kit.asked.length;
      for (const why of agreements(await askAgain(sessionId, 'script/script'))) expect(why).toContain('has an image');
      expect(kit.asked).toHaveLength(before);
      kit.answerWith(saying(done('Noted.')));
      expect(agreements(await askAgain(sessionId, 'eye/script'))).toEqual(['other', 'target']);
    });

    it('is not asked with what came out of it, though no step named the file', async () => {
      const sessionId = await session(`Why is this row wrong? ${row}`, project);
      await set('fences.rules', [{ paths: ['data/**'], verdict: 'local-only' }]);
      kit.answerWith(saying(done('Noted.')));
      const before = kit.asked.length;
      for (const why of agreements(await askAgain(sessionId, 'sky/script')))
        expect(why).toContain('must not leave this machine');
      expect(kit.asked).toHaveLength(before);
    });

    it('is asked without what has to be taken out', async () => {
      const sessionId = await session(`Why is this row wrong? ${row}`, project);
      await set('fences.rules', [{ paths: ['data/**'], verdict: 'redact' }]);
      kit.answerWith(saying(done('Noted.')));
      const before = kit.asked.length;
      await askAgain(sessionId, 'sky/script');
      const sent = JSON.stringify(kit.asked.slice(before).map(({ request }) => request));
      expect(sent).toContain('[fenced: data/customers.csv]');
      expect(sent).not.toContain('ada.lovelace.of.kastanien@example.org');
    });

    it('is not asked at all where the folder is gone, because nobody knows what is in it', async () => {
      const sessionId = await session('Write a note.', project);
      await rm(project, { recursive: true });
      const before = kit.asked.length;
      await expect(askAgain(sessionId, 'sky/script')).rejects.toThrow();
      expect(kit.asked).toHaveLength(before);
      kit.answerWith(saying(done('Noted.')));
      expect(agreements(await askAgain(sessionId, 'script/script'))).toEqual(['other', 'target']);
    });
  });

  it('costs no more than the amount when its answers break off', async () => {
    const sessionId = await session();
    kit.answerWith(async function* () {
      yield { type: 'text-delta', text: 'So' };
      const usage = { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 140, reasoning: 0, estimated: false };
      yield { ...ended('error', 10), usage, error: { code: 'network', message: 'It broke off.', retryable: false } };
    });
    const first = (await kit.core.client.costs({ by: 'day' })).total.costUsd;
    const rows = await askAgain(sessionId, 'sky/script', 0.13);
    expect(rows.map(({ again }) => again.type)).toEqual(['not-asked', 'not-asked']);
    expect(agreements(rows)[1]).toBe('the amount is used up');
    expect((await kit.core.client.costs({ by: 'day' })).total.costUsd).toBeGreaterThan(first);
  });

  it('is resumed in the middle of a session, and neither asks nor pays again what was answered', async () => {
    const sessionId = await session();
    const spent = async (): Promise<number> => (await kit.core.client.costs({ by: 'day' })).total.costUsd;
    const stop = new AbortController();
    let calls = 0;
    kit.answerWith((request, signal) => {
      calls += 1;
      if (calls === 2) stop.abort();
      return saying({ name: 'write_file', input: { path: 'note.md', content: '' } })(request, signal);
    });
    await askAgain(sessionId, 'sky/script', 5, { signal: stop.signal }).catch(() => undefined);
    await expect.poll(() => kit.running()).toBe(0);
    await kit.reopen();
    const [before, first] = [kit.asked.length, await spent()];
    kit.answerWith(saying(done('Noted.')));
    const which = { sessionIds: [sessionId] };
    const { expectAgain } = kit.core.client.endpoint;
    expect(await expectAgain({ which, model: 'sky/script' })).toMatchObject({ calls: 2, kept: 1 });
    expect(await expectAgain({ which, model: 'sky/script', isResuming: true })).toMatchObject({ calls: 1, kept: 1 });
    const rows = await askAgain(sessionId, 'sky/script', 5, { isResuming: true });
    expect(rows.map(({ isKept, again }) => [isKept ?? false, again.type === 'answered' && again.agreement])).toEqual([
      [true, 'target'],
      [false, 'target'],
    ]);
    expect(kit.asked).toHaveLength(before + 1);
    const paid = rows.reduce((sum, { again }) => sum + (again.costUsd ?? 0), 0);
    expect((await spent()) - first).toBeLessThan(paid);
    // What was kept costs nothing, so it is there though nothing may be spent.
    expect(agreements(await askAgain(sessionId, 'sky/script', 0, { isResuming: true }))).toEqual(['target', 'target']);
    // Another model, and asking anew, know nothing of it.
    expect((await expectAgain({ which, model: 'script/script' })).kept).toBe(0);
    await askAgain(sessionId, 'sky/script');
    expect(kit.asked).toHaveLength(before + 3);
  });

  it('reads around a line that a crash cut, and asks only that call again', async () => {
    const sessionId = await session();
    kit.answerWith(saying(done('Noted.')));
    await askAgain(sessionId, 'script/script');
    const folder = join(kit.home, 'sessions', sessionId);
    const name = (await readdir(folder)).find((one) => one.startsWith('asked-again-')) ?? '';
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.slice(0, -20));
    const before = kit.asked.length;
    for (const count of [1, 1]) {
      await askAgain(sessionId, 'script/script', null, { isResuming: true });
      expect(kit.asked).toHaveLength(before + count);
    }
  });

  it('needs no key of a program, and leaves the keys as they are', async () => {
    const sessionId = await session();
    await writeFile(join(kit.home, 'endpoint-keys.json'), 'damaged');
    kit.answerWith(saying(done('Noted.')));
    expect(agreements(await askAgain(sessionId, 'script/script'))).toEqual(['other', 'target']);
    expect(await readFile(join(kit.home, 'endpoint-keys.json'), 'utf8')).toBe('damaged');
  });

  it('is stopped in the middle of an answer', async () => {
    const sessionId = await session();
    kit.answerWith(endless);
    const stop = new AbortController();
    const reading = askAgain(sessionId, 'sky/script', null, { signal: stop.signal });
    await expect.poll(() => kit.running()).toBe(1);
    stop.abort();
    await reading.catch(() => undefined);
    await expect.poll(() => kit.running()).toBe(0);
  });

  it('is refused by name when it is not known', async () => {
    const sessionId = await session();
    await expect(askAgain(sessionId, 'sky/nobody-knows')).rejects.toMatchObject({ code: expect.any(String) });
  });
});
