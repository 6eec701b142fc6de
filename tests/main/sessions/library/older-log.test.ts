import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import type { SessionState } from '../../../../src/shared/session/session-state.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { replaySession } from '../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { reportFailure, toReportedFailure } from '../../../../src/main/hosts/text/report-failure.ts';
import { lineEnd, sealRecord, unsealRecord } from '../../../../src/main/sessions/log/log-record.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { type ClientCore, openClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

/**
 * Catches: a session of an older log version that can no longer be read or forked, or that loses facts with a new name,
 * a fork of one that counts as new, and a replay of one that reports a difference as if something were broken.
 */
let folder: string;
let core: ClientCore;
let older: string;
let newer: string;

const options = runOptionsSchema.parse({ local: 'script/script', strategy: 'loop' });
const replies = [
  { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] },
];

function openCore(): Promise<ClientCore> {
  const files = { 'calc.py': 'def add(a, b):\n    return a - b\n' };
  return openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(createMemorySandbox({ files, exec: () => ({ exitCode: 1, stdout: '1 failed' }) })),
  });
}

async function runTask(provider: string): Promise<string> {
  await core.client.settings.set({ key: `providers.${provider}`, value: { kind: 'scripted', replies } });
  const { sessionId } = await core.client.sessions.create({ projectPath: null, title: 'Adding' });
  await send(sessionId, provider);
  return sessionId;
}

async function send(sessionId: string, provider: string): Promise<void> {
  const local = `${provider}/script`;
  await core.client.sessions.send({ sessionId, text: 'Fix the bug in add().', options: { ...options, local } });
  expect(await core.client.sessions.result({ sessionId })).toMatchObject({ status: 'done' });
}

const logOf = (sessionId: string): string => join(folder, 'home', 'sessions', sessionId, 'events.jsonl');

type Fields = Readonly<Record<string, unknown>>;

/** Changes the records of a session's log by their type. */
async function rewrite(sessionId: string, changes: Readonly<Record<string, Fields>>): Promise<void> {
  const path = logOf(sessionId);
  const lines = (await readFile(path)).toString('utf8').split('\n').slice(0, -1);
  const sealed = lines.map((line) => {
    const record = unsealRecord(Buffer.from(line), 0, Buffer.byteLength(line));
    if (!record.ok || !isRecord(record.value)) throw new Error('A record could not be read.');
    return sealRecord({ ...record.value, ...changes[record.value.type] });
  });
  await writeFile(path, Buffer.concat(sealed));
}

function isRecord(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Gives the log of a session the version of the time before the first release. */
const makeOlder = (sessionId: string) => rewrite(sessionId, { 'session-created': { logVersion: 2 } });

/** Each word of a record as JSON, with the one that it had before. */
const olderWords = [
  ['"type":"check-ended"', '"type":"criterion-checked"'],
  ['"reason":"check-failed"', '"reason":"criterion-unmet"'],
  ['"tool":"run_check"', '"tool":"check_criterion"'],
  ['"check":{"command"', '"criterion":{"command"'],
] as const;

/** Records with the words of the time before the glossary, up to an empty line. Each of the words must be in them. */
function inOlderWords(bytes: Buffer, from = 0): Buffer {
  const missing = new Set<string>(olderWords.map(([, before]) => before));
  const lines: Buffer[] = [bytes.subarray(0, from)];
  let start = from;
  for (let end = bytes.indexOf(lineEnd, start); end > start; end = bytes.indexOf(lineEnd, start)) {
    const record = unsealRecord(bytes, start, end);
    if (!record.ok) throw new Error(`A record could not be read: ${record.reason}`);
    let json = JSON.stringify(record.value);
    for (const [today, before] of olderWords) {
      json = json.replaceAll(today, before);
      if (json.includes(before)) missing.delete(before);
    }
    lines.push(sealRecord(JSON.parse(json)));
    start = end + 1;
  }
  expect([...missing]).toEqual([]);
  return Buffer.concat([...lines, bytes.subarray(start)]);
}

const replayed = (sessionId: string) => core.client.sessions.replay({ sessionId });
const refusal = (sessionId: string) =>
  replayed(sessionId).then(
    () => null,
    (error: unknown) => toReportedFailure(error),
  );

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-older-'));
  core = await openCore();
  older = await runTask('first');
  newer = await runTask('second');
  await core.dispose();
  await makeOlder(older);
  core = await openCore();
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('a session with an older version of the log', () => {
  it('is listed and shown completely', async () => {
    const { state } = await core.client.sessions.show({ sessionId: older });
    expect(state.turns.map(({ reason, text }) => [reason, text])).toEqual([['done', 'It adds now.']]);
    expect((await core.client.sessions.list()).map(({ sessionId }) => sessionId).toSorted()).toEqual(
      [older, newer].toSorted(),
    );
  });

  it('cannot be replayed, and the answer says what is kept and what to do', async () => {
    expect(await refusal(older)).toMatchObject({
      code: 'log-version',
      message: expect.stringContaining('cannot be replayed'),
      hint: expect.stringMatching(/is kept.*send the task again/u),
    });
    const { context, said } = commandContext(core);
    const error = await replaySession(context, [older], {}).catch((thrown: unknown) => thrown);
    expect(reportFailure(error, context.terminal)).toBe(2);
    expect(said.err).toContain('cannot be replayed');
    expect(said.out).toBe('');
    expect(await replayed(newer)).toMatchObject({ matched: true });
  });

  it('can be exported and imported without a change of version', async () => {
    const path = join(folder, 'older.dewpoint');
    await core.client.sessions.export({ sessionId: older, path });
    const { sessionId } = await core.client.sessions.import({ path });
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.turns.map(({ text }) => text)).toEqual(['It adds now.']);
    expect(await refusal(sessionId)).toMatchObject({ code: 'log-version' });
  });

  it('can be forked, and the fork goes on as usual', async () => {
    await core.client.settings.set({ key: 'providers.third', value: { kind: 'scripted', replies } });
    const { sessionId } = await core.client.sessions.fork({ sessionId: older });
    await send(sessionId, 'third');
    expect((await core.client.sessions.show({ sessionId })).state.turns).toHaveLength(2);
    expect(await refusal(sessionId)).toMatchObject({ code: 'log-version' });
    const fork = await core.client.sessions.fork({ sessionId: newer });
    expect(await replayed(fork.sessionId)).toMatchObject({ matched: true });
  });
});

describe('a log with the words of before', () => {
  const tracker = { server: 'tracker', leaves: true, readsFiles: false };

  async function shown(sessionId: string): Promise<unknown> {
    const { state } = await core.client.sessions.show({ sessionId });
    return {
      calls: state.toolCalls.map(({ tool, connected, status }) => ({ tool, connected, status })),
      turns: state.turns.map(({ reason, text }) => ({ reason, text })),
    };
  }

  beforeEach(async () => {
    await core.dispose();
    await rewrite(older, { 'session-created': { logVersion: 3 }, 'tool-started': { foreign: tracker } });
    await rewrite(newer, { 'tool-started': { connected: tracker } });
    core = await openCore();
  });

  it('shows the same turn as one with the words of today', async () => {
    expect(await shown(older)).toMatchObject({ calls: [{ connected: { server: 'tracker' } }, {}] });
    expect(await shown(older)).toEqual(await shown(newer));
    expect(await refusal(older)).toMatchObject({ code: 'log-version' });
  });

  it('keeps its facts in a fork and in an import', async () => {
    const path = join(folder, 'older.dewpoint');
    const fork = await core.client.sessions.fork({ sessionId: older });
    await core.client.sessions.export({ sessionId: older, path });
    const copy = await core.client.sessions.import({ path });
    expect(await shown(fork.sessionId)).toEqual(await shown(newer));
    expect(await shown(copy.sessionId)).toEqual(await shown(newer));
  });
});

describe('a session whose log has older words', () => {
  let sessionId: string;
  let turns: SessionState['turns'];

  beforeEach(async () => {
    const objected = [...replies, ...replies.slice(1)];
    await core.client.settings.set({ key: 'providers.judged', value: { kind: 'scripted', replies: objected } });
    ({ sessionId } = await core.client.sessions.create({ projectPath: null, title: 'Adding' }));
    const judged = { ...options, local: 'judged/script', check: 'make test' };
    await core.client.sessions.send({ sessionId, text: 'Fix the bug in add().', options: judged });
    expect(await core.client.sessions.result({ sessionId })).toMatchObject({ status: 'gave-up' });
    ({ turns } = (await core.client.sessions.show({ sessionId })).state);
    await core.dispose();
    await writeFile(logOf(sessionId), inOlderWords(await readFile(logOf(sessionId))));
    core = await openCore();
  });

  it('shows the same turn, with its check and its end', async () => {
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.turns).toEqual(turns);
    expect(state.turns[0]).toMatchObject({ reason: 'check-failed', check: { command: 'make test' } });
  });

  it('shows the same turn when it is exported and imported', async () => {
    const path = join(folder, 'words.dewpoint');
    await core.client.sessions.export({ sessionId, path });
    const imported = await core.client.sessions.import({ path });
    expect((await core.client.sessions.show(imported)).state.turns).toEqual(turns);
  });

  it('shows the same turn when it was exported then', async () => {
    const path = join(folder, 'words.dewpoint');
    await core.client.sessions.export({ sessionId, path });
    const file = gunzipSync(await readFile(path));
    const records = file.indexOf(lineEnd, file.indexOf(lineEnd) + 1) + 1;
    await writeFile(path, gzipSync(inOlderWords(file, records)));
    const imported = await core.client.sessions.import({ path });
    expect((await core.client.sessions.show(imported)).state.turns).toEqual(turns);
  });

  it('shows the same turn in a fork, which goes on', async () => {
    await core.client.settings.set({ key: 'providers.fourth', value: { kind: 'scripted', replies } });
    const fork = await core.client.sessions.fork({ sessionId });
    expect((await core.client.sessions.show(fork)).state.turns).toEqual(turns);
    await send(fork.sessionId, 'fourth');
    expect((await core.client.sessions.show(fork)).state.turns).toHaveLength(2);
  });
});
