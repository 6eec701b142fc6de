import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { openClientCore } from '../../../fakes/core-client.ts';

let folder: string;
let core: ClientCore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-assistants-'));
  core = await openClientCore({
    home: folder,
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const replies = Array.from({ length: 4 }, () => ({ text: 'Here you are.' }));
  await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, file: string): Promise<void> {
  await mkdir(join(folder, 'assistants'), { recursive: true });
  await writeFile(join(folder, 'assistants', `${name}.md`), file);
}

async function ask(options: Readonly<Record<string, unknown>>): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: null });
  const run = runOptionsSchema.parse({ local: 'script/script', ...options });
  await core.client.sessions.send({ sessionId, text: 'Fix the tests, please.', options: run });
  await core.client.sessions.result({ sessionId });
  return sessionId;
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => Reflect.get(Object(error), 'data'),
  );

describe('an assistant', () => {
  it('is recorded in the log, so that a replay works without its file', async () => {
    await write('poet', '---\ntools: off\nmax-tokens: 300\ntemperature: 0.4\n---\nAnswer in verse.');
    const sessionId = await ask({ assistant: 'poet' });
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.turns[0]).toMatchObject({ assistant: 'poet', mode: 'chat', reason: 'answered' });
    const detail = await core.client.sessions.detail({ sessionId, id: state.steps[0]?.callId ?? '' });
    expect(detail.request?.messages[0]?.text).toContain('Answer in verse.');
    expect(detail.request?.tools).toEqual([]);
    await rm(join(folder, 'assistants'), { recursive: true });
    expect(await core.client.sessions.replay({ sessionId })).toMatchObject({ matched: true, firstDifference: null });
  });

  /** Catches: a shared assistant that sends the conversation to a service although everything was to stay local. */
  it('cannot choose a model outside your policy, or replace one that you chose', async () => {
    await core.client.settings.set({
      key: 'providers.sky',
      value: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', models: { large: { context: 8000 } } },
    });
    await write('cloudy', '---\nmodel: sky/large\n---\nBe wise.');
    await write('gone', '---\nmodel: script/none-such\n---\nBe wise.');
    const run = (options: Readonly<Record<string, unknown>>) => failureOf(ask({ local: undefined, ...options }));
    expect(await run({ assistant: 'cloudy', policy: 'local' })).toMatchObject({ code: 'refused' });
    expect(await run({ assistant: 'cloudy', policy: 'local', local: 'script/script' })).toBeNull();
  });

  it('is refused when it is missing or invalid, or cannot do what is asked', async () => {
    await write('bad', '---\napprove: allow\n---\nText.');
    await write('talker', '---\ntools: off\n---\nTalk.');
    expect(await failureOf(ask({ assistant: 'none-such' }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(ask({ assistant: '../settings' }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(ask({ assistant: 'bad' }))).toMatchObject({
      code: 'bad-input',
      message: expect.stringContaining('approve: allow'),
    });
    expect(await failureOf(ask({ assistant: 'talker', mode: 'work' }))).toMatchObject({ code: 'bad-input' });
    expect(await core.client.assistants.list()).toMatchObject({
      assistants: [{ name: 'talker' }],
      broken: [{ name: 'bad', why: expect.stringContaining('approve: allow') }],
    });
  });

  it('is saved completely after a check, and never over another one by chance', async () => {
    const text = '---\nmode: plan\n---\nPlan it.';
    expect(await core.client.assistants.save({ name: 'planner', text })).toMatchObject({ mode: 'plan' });
    expect(await core.client.assistants.show({ name: 'planner' })).toEqual({ text: `${text}\n` });
    expect(await failureOf(core.client.assistants.save({ name: 'planner', text: 'Other.' }))).toMatchObject({
      code: 'conflict',
    });
    await core.client.assistants.save({ name: 'planner', text: 'Other.', replace: true });
    expect(await failureOf(core.client.assistants.save({ name: 'x', text: '---\nnetwork: a\n---\nT' }))).toMatchObject({
      code: 'bad-input',
    });
    await core.client.assistants.remove({ name: 'planner' });
    expect((await core.client.assistants.list()).assistants).toEqual([]);
  });
});
