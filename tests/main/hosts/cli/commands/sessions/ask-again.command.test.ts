import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaySession } from '../../../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { runOptionsSchema } from '../../../../../../src/shared/session/run-options.ts';
import { ended } from '../../../../../fakes/agent-kit.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import type { EndpointKit } from '../../../../../fakes/endpoint-kit.ts';
import { openEndpointKit, saying } from '../../../../../fakes/endpoint-kit.ts';

/** Catches: a batch that spends more than its amount, and a session that is left out without a word. */
let kit: EndpointKit;
beforeEach(async () => {
  kit = await openEndpointKit();
});
afterEach(() => kit.close());

const done = { name: 'task_complete', input: { summary: 'Done.' } };

/** A session with one call: it says that it is done. */
async function session(text: string): Promise<string> {
  kit.answerWith(saying(done));
  const { sessionId } = await kit.core.client.sessions.create({ projectPath: null });
  const options = { policy: 'local', strategy: 'loop', mode: 'work', interactive: false };
  await kit.core.client.sessions.send({ sessionId, text, options: runOptionsSchema.parse(options) });
  expect(await kit.core.client.sessions.result({ sessionId })).toMatchObject({ status: 'done' });
  return sessionId;
}

async function replay(ids: readonly string[], args: Parameters<typeof replaySession>[2], now = Date.now()) {
  const { context, said } = commandContext({ handlers: kit.core.handlers });
  const code = await replaySession({ ...context, now: () => now }, ids, args);
  return { code, ...said };
}

describe('another model that is asked what several sessions asked', () => {
  it('gets all that was asked since then, with sums over all of it', async () => {
    const ids = [await session('One.'), await session('Two.')];
    const { code, out } = await replay([], { on: 'script/script', since: '7d' });
    expect(code).toBe(0);
    for (const id of ids) expect(out).toMatch(new RegExp(`${id}.*: asked 1 of 1 call, same call 1 of 1, `, 'u'));
    expect(out).toContain('sessions asked again: 2 of 2\nasked again: 2 of 2 calls\n');
    expect(out).toMatch(/same tool and target: 2 of 2 \(34% to 100%\)/u);
  });

  it('gets nothing of what was asked before', async () => {
    await session('One.');
    const before = kit.asked.length;
    const later = Date.now() + 30 * 86_400_000;
    const { code, out } = await replay([], { on: 'script/script', since: '7d' }, later);
    expect({ code, asked: kit.asked.length }).toEqual({ code: 0, asked: before });
    expect(out).toContain('sessions asked again: 0 of 0');
  });

  it('costs at most the amount of the batch, keeps what came, and names what is left', async () => {
    const [first, second] = [await session('One.'), await session('Two.')];
    kit.answerWith(async function* () {
      yield { type: 'tool-call', call: { type: 'tool-call', id: 'call_1', ...done } };
      const usage = { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 140, reasoning: 0, estimated: false };
      yield { ...ended('tool-calls', 10), usage };
    });
    const before = kit.asked.length;
    const { code, out } = await replay([first, second], { on: 'sky/script', maxUsd: '0.13' });
    expect({ code, asked: kit.asked.length - before }).toEqual({ code: 3, asked: 1 });
    expect(out).toMatch(new RegExp(`${first}: asked 1 of 1 call`, 'u'));
    expect(out).toContain(`${second}: not asked: the amount is used up`);
    expect(out).toContain('sessions asked again: 1 of 2; not all of 1 session was asked, ');
  });

  it('says why a session cannot be asked, and goes on with the next one', async () => {
    const [first, second] = [await session('A note about Project Heron.'), await session('Two.')];
    await kit.core.client.settings.set({
      key: 'fences.rules',
      value: [{ pattern: 'Project Heron', verdict: 'local-only' }],
    });
    const { code, out } = await replay([first, second], { on: 'sky/script', maxUsd: '5' });
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`${first}.*: asked 0 of 1 call\\n {2}1 call not asked: .*must not leave this machine`, 'u'),
    );
    expect(out).toMatch(new RegExp(`${second}.*: asked 1 of 1 call`, 'u'));
    expect(out).toContain('sessions asked again: 1 of 2; not all of 1 session was asked, ');
  });

  it('tells the price before anything is asked, and can ask nothing', async () => {
    const ids = [await session('One.'), await session('Two.')];
    const before = kit.asked.length;
    const { code, err, out } = await replay(ids, { on: 'sky/script', price: true });
    expect({ code, out, asked: kit.asked.length }).toEqual({ code: 0, out: '', asked: before });
    expect(err).toMatch(
      /^2 calls of 2 sessions: \d+ tokens to read and \d+ to write, about \$[\d.]+ for as many tokens\n$/u,
    );
    const short = await replay(ids, { on: 'sky/script', maxUsd: '0.0001' });
    expect(short.err).toMatch(/for as many tokens; \$0\.0001 may end it before that\n/u);
    expect(short.err).toContain(
      `Left: 2 sessions. What was answered is not asked again: dewpoint replay ${ids.join(' ')} --on sky/script --max-usd AMOUNT --resume`,
    );
    expect(short.code).toBe(3);
  });

  it('keeps what was asked when it is stopped, and says how to go on', async () => {
    const [first, second] = [await session('One.'), await session('Two.')];
    const stop = new AbortController();
    let asked = 0;
    kit.answerWith(async function* (request, signal) {
      asked += 1;
      if (asked === 2) stop.abort();
      yield* saying(done)(request, signal);
    });
    const { context, said } = commandContext({ handlers: kit.core.handlers });
    const args = { on: 'script/script' };
    expect(await replaySession({ ...context, signal: stop.signal }, [first, second], args)).toBe(130);
    expect(said.out).toMatch(new RegExp(`${first}.*: asked 1 of 1 call`, 'u'));
    expect(said.out).not.toContain(`${second}:`);
    expect(said.out).toContain('sessions asked again: 1 of 2; not all of 1 session was asked, ');
    expect(said.out).toContain('asked again: 1 of 1 calls');
    expect(said.err).toContain(
      `Left: 1 session. What was answered is not asked again: dewpoint replay ${first} ${second} --on script/script --resume`,
    );
    // Resumed, it asks the second session alone, and counts both.
    const before = asked;
    const resumed = await replay([first, second], { ...args, resume: true });
    expect({ code: resumed.code, asked: asked - before }).toEqual({ code: 0, asked: 1 });
    expect(resumed.err).toContain('1 call of 2 sessions');
    expect(resumed.err).toContain('This model answered 1 call before, which are not asked again');
    expect(resumed.out).toContain('sessions asked again: 2 of 2\nasked again: 2 of 2 calls\n');
  });

  it('says that nothing was asked, and not that there is nothing to ask, when it was stopped or may cost nothing', async () => {
    const id = await session('One.');
    const broke = await replay([id], { on: 'sky/script', maxUsd: '0' });
    expect(broke.code).toBe(3);
    const stop = new AbortController();
    kit.answerWith(async function* (request, signal) {
      stop.abort();
      yield* saying(done)(request, signal);
    });
    const { context, said } = commandContext({ handlers: kit.core.handlers });
    const args = { on: 'script/script' };
    expect(await replaySession({ ...context, signal: stop.signal }, [id], args)).toBe(130);
    for (const err of [broke.err, said.err]) {
      expect(err).toContain('Nothing was asked.\n');
      expect(err).toContain('Left: 1 session. ');
      expect(err).not.toContain('There is no model call');
    }
  });

  it('takes a day before 1970 as all there is', async () => {
    await session('One.');
    expect(await replay([], { on: 'script/script', since: '1960-01-01' })).toMatchObject({ code: 0 });
  });

  it('names a session that cannot be read, and goes on with the others', async () => {
    const [damaged, fine] = [await session('One.'), await session('Two.')];
    await kit.reopen();
    await writeFile(join(kit.home, 'sessions', damaged, 'events.jsonl'), 'this is no log\n');
    const { code, out, err } = await replay([], { on: 'script/script', since: '7d' });
    expect(code).toBe(0);
    expect(err).toContain('1 call of 2 sessions (1 session cannot be read): ');
    expect(out).toMatch(new RegExp(`${fine}.*: asked 1 of 1 call`, 'u'));
    expect(out).toMatch(new RegExp(`${damaged}.*: not asked: `, 'u'));
  });

  it('is refused without an amount, with ids and a time at once, and without both', async () => {
    const id = await session('One.');
    const wrong = [
      () => replay([id, id], { on: 'sky/script' }),
      () => replay([id], { on: 'script/script', since: '7d' }),
      () => replay([], { on: 'script/script' }),
      () => replay([], { on: 'script/script', since: 'monday' }),
      () => replay([id, id], {}),
      () => replay([], {}),
      () => replay([id], { since: '7d' }),
    ];
    for (const one of wrong) await expect(one()).rejects.toMatchObject({ code: 'usage' });
  });
});
