import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../../../fakes/core-client.ts';
import { ofType } from '../../../fakes/agent-kit.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
const cores: ClientCore[] = [];

const call = (name: string, input: unknown) => ({ name, input });
const ask = (question: string, more: object = {}) => call('ask_person', { question, ...more });
const asks = { text: 'There are two formats.', toolCalls: [ask('CSV or JSON?', { choices: ['CSV', 'JSON'] })] };
const complete = {
  toolCalls: [
    call('write_file', { path: 'export.py', content: 'y = 1\n' }),
    call('task_complete', { summary: 'It is there.' }),
  ],
};
const files = { 'a.py': 'x = 1\n' };

async function open(name: string, replies: readonly object[]): Promise<ClientCore> {
  const core = await openClientCore({
    home: join(folder, name),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files })),
  });
  cores.push(core);
  await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
  return core;
}

async function send({ client }: ClientCore, sessionId: string, text: string, options: object = {}): Promise<void> {
  const run = runOptionsSchema.parse({ local: 'script/script', interactive: true, ...options });
  await client.sessions.send({ sessionId, text, options: run });
}

/** A session at an open question of the agent. */
async function begin(core: ClientCore): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: null });
  await send(core, sessionId, 'Create export.py.', { mode: 'work' });
  await asked(core, sessionId);
  return sessionId;
}

async function stateOf({ client }: ClientCore, sessionId: string) {
  return (await client.sessions.show({ sessionId })).state;
}

const asked = (core: ClientCore, sessionId: string) =>
  vi.waitFor(
    async () => {
      const [question] = (await stateOf(core, sessionId)).approvals;
      if (question === undefined) throw new Error('no question yet');
      return question;
    },
    { timeout: 30_000 },
  );

const listed = async ({ client }: ClientCore, sessionId: string) =>
  (await client.sessions.list()).find((one) => one.sessionId === sessionId);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-question-'));
  await mkdir(join(folder, 'home'));
});

afterEach(async () => {
  for (const core of cores.splice(0)) await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

const words = 'There are two formats.\n\nCSV or JSON?\n1. CSV\n2. JSON';

/** The answer goes on with the task, in the next turn, and a replay does the same. */
async function expectGoesOn(core: ClientCore, sessionId: string, text: string): Promise<void> {
  await send(core, sessionId, text);
  await core.client.sessions.result({ sessionId });
  const [first, second] = (await stateOf(core, sessionId)).turns;
  expect(second).toMatchObject({ reason: 'done', mode: 'work', answers: first?.id });
  expect(await core.client.sessions.replay({ sessionId })).toMatchObject({ matched: true, firstDifference: null });
}

describe('a question that is open', () => {
  // Bug: the turn ended as cancelled, and the answer of the next day was taken for a new task.
  it('waits for the person after the app was closed', async () => {
    const core = await open('home', [asks]);
    const sessionId = await begin(core);
    await core.dispose();
    const again = await open('home', [complete]);
    expect(await listed(again, sessionId)).toMatchObject({ status: 'idle', isWaiting: true });
    expect((await stateOf(again, sessionId)).turns).toMatchObject([{ reason: 'waiting', text: words, failure: null }]);
    await expectGoesOn(again, sessionId, '2');
  });

  // Bug: the turn ended as crashed, and the model read that nobody knows whether its question "happened".
  it('waits for the person after the program was killed', async () => {
    const core = await open('home', [asks]);
    const sessionId = await begin(core);
    await cp(join(folder, 'home'), join(folder, 'killed'), {
      recursive: true,
      filter: (path) => !/\/lock$|\.sock$/u.test(path),
    });
    const again = await open('killed', [complete]);
    expect(await listed(again, sessionId)).toMatchObject({ status: 'idle', isWaiting: true, lastReason: 'waiting' });
    const events = await eventsOf(again.client, sessionId);
    expect(ofType(events, 'tool-ended').at(-1)).toMatchObject({
      status: 'unknown',
      output: expect.stringContaining('The next message of the user answers it.'),
    });
    expect((await stateOf(again, sessionId)).turns).toMatchObject([{ reason: 'waiting', text: words, failure: null }]);
    await expectGoesOn(again, sessionId, 'JSON');
  });

  // Bug: the message waited behind the question that it answered, for as long as nobody looked at both.
  it('is answered by a message, too', async () => {
    const core = await open('home', [asks, complete]);
    const sessionId = await begin(core);
    await expectGoesOn(core, sessionId, 'JSON');
    expect(ofType(await eventsOf(core.client, sessionId), 'message-dropped')).toEqual([]);
  });

  it('waits together with the other questions of the same answer', async () => {
    const core = await open('home', [{ toolCalls: [ask('CSV or JSON?'), ask('With a header?')] }, complete]);
    const sessionId = await begin(core);
    await send(core, sessionId, 'JSON, with a header');
    await core.client.sessions.result({ sessionId });
    const { turns } = await stateOf(core, sessionId);
    expect(turns).toMatchObject([{ reason: 'waiting', text: 'CSV or JSON?\n\nWith a header?' }, { reason: 'done' }]);
  });

  // Bug: you were told to wait for the end of a turn that itself waited for you.
  it('is what undo, fork and delete ask you to answer first', async () => {
    const core = await open('home', [asks, complete]);
    const sessionId = await begin(core);
    const { changes, sessions } = core.client;
    const refused = {
      code: 'conflict',
      message: expect.stringContaining('your answer'),
      hint: 'Answer it, or cancel it.',
    };
    for (const doIt of [
      () => changes.undo({ sessionId, paths: [] }),
      () => sessions.fork({ sessionId }),
      () => sessions.delete({ sessionId }),
    ])
      await expect(doIt()).rejects.toMatchObject({ data: refused });
    await expectGoesOn(core, sessionId, 'JSON');
  });

  it('takes the first of two answers, and tells the second that it came too late', async () => {
    const core = await open('home', [asks, complete]);
    const sessionId = await begin(core);
    const { approvalId } = await asked(core, sessionId);
    const say = (choice: string) =>
      core.client.sessions.approve({ sessionId, approvalId, answer: 'allow', values: { choice } });
    const said = await Promise.allSettled([say('CSV'), say('JSON')]);
    expect(said).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'This question no longer needs an answer.' } },
    ]);
    expect((await core.client.sessions.result({ sessionId })).status).toBe('done');
    const events = await eventsOf(core.client, sessionId);
    expect(ofType(events, 'approval-answered')).toMatchObject([{ values: { choice: 'CSV' } }]);
  });
});
