import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import type { Receipt } from '../../../../src/shared/safety/receipt.ts';
import { frame } from '../../../fakes/chat-server.ts';
import { type ClientCore, eventsOf, openClientCore } from '../../../fakes/core-client.ts';
import { type CountedHost, startCountedHost } from '../../../fakes/counted-host.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
let project: string;
let core: ClientCore;
let host: CountedHost;

const delta = (value: object, finish: string | null = null): string =>
  frame({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: value, finish_reason: finish }],
  });
const call = (name: string, input: object): string =>
  delta({
    role: 'assistant',
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(input) } }],
  }) + delta({}, 'tool_calls');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-receipts-'));
  project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'notes.md'), 'The answer is 42.\n');
  let asked = 0;
  host = await startCountedHost((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'GET') return response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
      asked += 1;
      response.setHeader('content-type', 'text/event-stream');
      const answer =
        asked === 1 ? call('read_file', { path: 'notes.md' }) : call('task_complete', { summary: 'It is 42.' });
      return response.end(`${answer}data: [DONE]\n\n`);
    });
  });
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '1.2.3',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'notes.md': 'The answer is 42.\n' } })),
  });
  const set = (key: string, value: unknown) => core.client.settings.set({ key, value });
  await set('providers.far', {
    kind: 'openai-compatible',
    baseUrl: `http://127.0.0.1:${host.port}/v1`,
    where: 'cloud',
  });
  await set('providers.here', { kind: 'scripted', replies: [{ text: 'It is 42, said here.' }] });
});

afterEach(async () => {
  await core.dispose();
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

async function ask(options: object): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: project });
  await core.client.sessions.send({ sessionId, text: 'What is the answer in notes.md?', options });
  await core.client.sessions.result({ sessionId });
  return sessionId;
}

const toFar = { policy: 'cloud', cloud: 'far/m', strategy: 'loop' };
const toHere = { policy: 'local', local: 'here/script', strategy: 'loop' };
const wire = () =>
  host.wires.reduce((all, one) => ({ out: all.out + one.out, in: all.in + one.in }), { out: 0, in: 0 });
const month = (): string => {
  const now = new Date();
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
};

describe('a receipt', () => {
  it('has the bytes that the host of a cloud model saw, the steps, the reason and the files', async () => {
    const sessionId = await ask(toFar);
    const made = await core.client.receipts.show({ type: 'session', sessionId });
    const model = made.rows.find(({ by }) => by.kind === 'model');
    expect({ out: made.out, in: made.in }).toEqual(wire());
    expect(made.out).toBeGreaterThan(1_000);
    expect(made.verdict).toBe('counted');
    expect(model).toMatchObject({
      host: '127.0.0.1',
      port: host.port,
      sessionId,
      by: { name: 'far/m' },
      files: ['notes.md'],
    });
    expect(model?.why[0]).toMatch(/\w/u);
  });

  it('says that nothing left, and that the host saw nothing, when a local model answered', async () => {
    const before = wire();
    const sessionId = await ask(toHere);
    const made = await core.client.receipts.show({ type: 'session', sessionId });
    expect(made).toMatchObject({
      verdict: 'nothing',
      out: 0,
      in: 0,
      rows: [],
      uncounted: [],
      record: { isPartial: false },
    });
    expect(wire()).toEqual(before);
  });

  it('has the sum of all sessions for a project and for a month, and nothing for another month', async () => {
    await ask(toFar);
    await ask(toFar);
    const sums: Receipt[] = [
      await core.client.receipts.show({ type: 'project', project }),
      await core.client.receipts.show({ type: 'month', month: month() }),
    ];
    const ofModels = (made: Receipt): number =>
      made.rows.filter(({ by }) => by.kind === 'model').reduce((sum, { out }) => sum + out, 0);
    expect(ofModels(sums[0] as Receipt)).toBe(ofModels(sums[1] as Receipt));
    expect(sums[1]?.out).toBe(wire().out);
    const other = await core.client.receipts.show({ type: 'month', month: '2031-02' });
    expect(other).toMatchObject({ out: 0, rows: [], verdict: 'nothing' });
  });

  it('keeps numbers and hosts when the session is gone for good, and forgets its files and reasons', async () => {
    const sessionId = await ask(toFar);
    await core.client.sessions.delete({ sessionId });
    await core.client.sessions.purge({ id: sessionId });
    const made = await core.client.receipts.show({ type: 'session', sessionId });
    expect(made.out).toBe(wire().out);
    expect(made.rows.map(({ host: name, files }) => [name, files])).toEqual(made.rows.map(() => ['127.0.0.1', null]));
    expect(JSON.stringify(made)).not.toContain('notes.md');
  });

  /** Catches: a signed word that nothing left, about what nobody recorded. */
  it('does not say that nothing left where nothing is known of the session or the project', async () => {
    await ask(toHere);
    const old = await core.client.receipts.show({ type: 'session', sessionId: '20200101-120000-abcdefgh' });
    const other = await core.client.receipts.show({ type: 'project', project: join(folder, 'other') });
    for (const made of [old, other])
      expect(made).toMatchObject({ verdict: 'not-all', rows: [], record: { isPartial: true } });
  });

  it('goes on after requests that are damaged or cannot be read, and does not say that no file was in them', async () => {
    const sessionId = await ask(toFar);
    const events = await eventsOf(core.client, sessionId);
    const requests = events.flatMap((event) => (event.type === 'model-call-started' ? [event.request.sha256] : []));
    expect(requests).toHaveLength(2);
    const [first = '', second = ''] = requests.map((sha256) => join(folder, 'home', 'blobs', sha256));
    await writeFile(first, '{"messages":');
    await rm(second);
    await mkdir(second);
    const made = await core.client.receipts.show({ type: 'session', sessionId });
    const ofModel = made.rows.filter(({ by }) => by.kind === 'model');
    expect(made).toMatchObject({ verdict: 'counted', record: { unreadRequests: 2, unreadLogs: 0 } });
    expect(made.out).toBe(wire().out);
    expect(ofModel.map(({ files }) => files)).toEqual(ofModel.map(() => null));
  });

  it('reads the log of a branch as whole', async () => {
    const sessionId = await ask(toHere);
    const fork = await core.client.sessions.fork({ sessionId });
    const made = await core.client.receipts.show({ type: 'session', sessionId: fork.sessionId });
    expect(made).toMatchObject({ verdict: 'nothing', record: { unreadLogs: 0, isPartial: false } });
  });

  it('names what a fence kept here', async () => {
    await writeFile(join(folder, 'home', 'dewpoint.rules'), 'local-only path notes.md\n');
    const sessionId = await ask(toFar);
    const made = await core.client.receipts.show({ type: 'session', sessionId });
    expect(made.kept).toContainEqual(expect.objectContaining({ kind: 'fence', sessionId }));
    expect(JSON.stringify(made.kept)).toContain('notes.md');
  });
});
