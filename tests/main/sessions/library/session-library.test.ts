import type { ClientCore } from '../../../fakes/core-client.ts';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../../src/shared/events/events.ts';
import { asTalks } from '../../../../src/shared/session/session-filter.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { success } from '../../../../src/shared/errors.ts';
import { openClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import type { LiveJournal } from '../../../../src/main/sessions/journal/live-journal.ts';
import { sealRecord } from '../../../../src/main/sessions/log/log-record.ts';
import { createRedactor } from '../../../../src/main/sessions/log/redactor.ts';
import type { SessionStore } from '../../../../src/main/sessions/store/session-store.ts';
import { createSessionStore } from '../../../../src/main/sessions/store/session-store.ts';
import type { FileImage } from '../../../../src/shared/events/tool-events.ts';

let folder: string;
let core: ClientCore;

const replies = [
  { text: 'Looking.', toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
  { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] },
  { toolCalls: [{ name: 'run_command', input: { command: 'pytest -q' } }] },
  { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] },
];
const options = runOptionsSchema.parse({ local: 'script/script', strategy: 'loop' });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-library-'));
  core = await openCore('home');
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function openCore(name: string): Promise<ClientCore> {
  const opened = await openClientCore({
    home: join(folder, name),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(
        createMemorySandbox({
          files: { 'calc.py': 'def add(a, b):\n    return a - b\n', 'tests/test_calc.py': 'x\n' },
          exec: () => ({ exitCode: 0, stdout: '1 passed' }),
        }),
      ),
  });
  await opened.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
  return opened;
}

async function runTask(): Promise<string> {
  const { sessionId: id } = await core.client.sessions.create({ projectPath: null, title: 'Adding' });
  await core.client.sessions.send({ sessionId: id, text: 'Fix the bug in add().', options });
  await core.client.sessions.result({ sessionId: id });
  return id;
}

function storeOfHome(): SessionStore {
  const home = join(folder, 'home');
  return createSessionStore({
    folder: join(home, 'sessions'),
    appVersion: 'test',
    blobs: createBlobs(join(home, 'blobs')),
    redactor: createRedactor(),
    now: Date.now,
  });
}

/** A session in a project whose file went from `one` to `two` in its first step and to `three` in its second. */
async function sessionInProject(): Promise<{ readonly id: string; readonly project: string }> {
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'a.txt'), 'three');
  await writeFile(join(project, 'new.txt'), 'new');
  await core.dispose();
  const store = storeOfHome();
  const journal = await store.create({
    title: 'Three',
    projectPath: project,
    workspace: { mode: 'in-place', path: project },
  });
  await appendSteps(journal);
  await journal.close();
  core = await openCore('home');
  return { id: journal.sessionId, project };
}

async function appendSteps(journal: LiveJournal): Promise<void> {
  const image = async (text: string): Promise<FileImage> => ({
    kept: true,
    blob: await journal.putBlob(Buffer.from(text)),
    mode: 0o644,
  });
  const [one, two, three] = [await image('one'), await image('two'), await image('three')];
  const stage = { strategy: 'loop', model: 'script/script', where: 'local' } as const;
  const limits = { maxSteps: 9, maxMinutes: 9, maxTokens: 99, maxUsd: null };
  const turnId = 'turn-1';
  const change = (path: string, before: FileImage, after: FileImage): NewEvent => ({
    type: 'file-changed',
    turnId,
    path,
    before,
    after,
    by: 'model',
    toolCallId: null,
    added: 1,
    removed: 1,
    undoes: [],
  });
  const step = (callId: string, number: number): readonly NewEvent[] => [
    {
      type: 'route-decided',
      turnId,
      callId,
      chosen: { model: 'script/script', where: 'local' },
      runnerUp: null,
      reasonCode: 'only',
      reason: '',
    },
    {
      type: 'model-call-started',
      turnId,
      callId,
      step: number,
      purpose: 'act',
      stage,
      provider: 'script',
      model: 'script',
      request: { sha256: '0'.repeat(64), bytes: 1 },
      promptTokens: 1,
    },
    {
      type: 'model-call-ended',
      turnId,
      callId,
      parts: [{ type: 'text', text: `step ${number}` }],
      stopReason: 'stop',
      usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false },
      evaluatedTokens: 1,
      timings: { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 },
      price: null,
      costUsd: 0.5,
      error: null,
    },
  ];
  const events: readonly NewEvent[] = [
    { type: 'user-message-added', messageId: 'message-1', text: 'Write three.', queued: false },
    { type: 'turn-started', turnId, messageId: 'message-1', check: null, cascade: [stage], limits },
    ...step('call-1', 1),
    change('a.txt', one, two),
    ...step('call-2', 2),
    change('a.txt', two, three),
    change('new.txt', null, await image('new')),
    { type: 'turn-ended', turnId, reason: 'done', text: 'Three.', confidence: null, failure: null },
  ];
  for (const event of events) await journal.append(event);
}

describe('a fork of a session', () => {
  it('goes on from a step with the same history, and replays', async () => {
    const id = await runTask();
    const parent = await core.client.sessions.show({ sessionId: id });
    const [, second] = parent.state.steps;
    const { sessionId } = await core.client.sessions.fork({ sessionId: id, at: { after: second?.callId ?? '' } });
    const { state, money } = await core.client.sessions.show({ sessionId });
    expect(state).toMatchObject({ parentId: id, title: 'Adding (fork)', sandbox: null });
    expect(state.steps.map((step) => step.callId)).toEqual(parent.state.steps.slice(0, 2).map((step) => step.callId));
    expect(state.turns.map((turn) => turn.reason)).toEqual(['cancelled']);
    expect(money.calls).toBe(0);
    expect(await core.client.sessions.replay({ sessionId })).toMatchObject({ matched: true, firstDifference: null });
    await core.client.settings.set({ key: 'providers.more', value: { kind: 'scripted', replies: replies.slice(3) } });
    await core.client.sessions.send({
      sessionId,
      text: 'Say that it is done.',
      options: { ...options, local: 'more/script' },
    });
    expect(await core.client.sessions.result({ sessionId })).toMatchObject({ status: 'done' });
    expect(await core.client.sessions.replay({ sessionId })).toMatchObject({ matched: true, firstDifference: null });
    expect((await core.client.sessions.replay({ sessionId: id })).matched).toBe(true);
  });

  it('keeps the whole turn of its last step, and none of a turn before its message', async () => {
    const id = await runTask();
    const { state } = await core.client.sessions.show({ sessionId: id });
    const whole = await core.client.sessions.fork({ sessionId: id, at: { after: state.steps.at(-1)?.callId ?? '' } });
    expect(
      (await core.client.sessions.show({ sessionId: whole.sessionId })).state.turns.map((turn) => turn.reason),
    ).toEqual(['done']);
    const empty = await core.client.sessions.fork({
      sessionId: id,
      at: { before: state.messages[0]?.messageId ?? '' },
    });
    const before = (await core.client.sessions.show({ sessionId: empty.sessionId })).state;
    expect([before.messages, before.turns, before.steps]).toEqual([[], [], []]);
  });

  it('works in a copy with the files of that time, and leaves the project folder alone', async () => {
    const { id, project } = await sessionInProject();
    const { sessionId, notRestored } = await core.client.sessions.fork({ sessionId: id, at: { before: 'call-2' } });
    const { state } = await core.client.sessions.show({ sessionId });
    expect([state.workspace?.mode, state.projectPath, notRestored]).toEqual(['copy', project, []]);
    expect(await readFile(join(state.workspace?.path ?? '', 'a.txt'), 'utf8')).toBe('two');
    await expect(stat(join(state.workspace?.path ?? '', 'new.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('three');
    // What the parent did in the folder is its own. It cannot be undone or taken from here.
    expect(await core.client.changes.show({ sessionId, paths: [] })).toEqual([]);
    expect(await core.client.changes.undo({ sessionId, paths: [] })).toEqual({ done: [], refused: [] });
  });

  it('works in the project folder if nothing changed since', async () => {
    const { id, project } = await sessionInProject();
    const { sessionId } = await core.client.sessions.fork({ sessionId: id });
    expect((await core.client.sessions.show({ sessionId })).state.workspace).toEqual({
      mode: 'in-place',
      path: project,
    });
  });

  it('is found with its relatives, also when the session it came from was deleted', async () => {
    const id = await runTask();
    expect(await core.client.sessions.branches({ sessionId: id })).toEqual([]);
    const { state } = await core.client.sessions.show({ sessionId: id });
    const message = state.messages[0]?.messageId ?? '';
    const { sessionId: again, files } = await core.client.sessions.fork({ sessionId: id, at: { before: message } });
    expect(files).toMatchObject({ place: 'copy' });
    const { sessionId: whole } = await core.client.sessions.fork({ sessionId: id });
    const { sessionId: next } = await core.client.sessions.fork({ sessionId: whole });
    const family = async () =>
      new Map((await core.client.sessions.branches({ sessionId: next })).map((one) => [one.sessionId, one.messages]));
    const all = [again, id, next, whole];
    expect([...(await family()).keys()].sort()).toEqual(all.sort());
    await core.client.sessions.delete({ sessionId: id });
    expect(await family()).toEqual(
      new Map([
        [next, [message]],
        [whole, [message]],
        [again, []],
      ]),
    );
  });

  /**
   * Catches: a fork that gets a tree, and with it agents, of its own because a session between it and its root was
   * deleted.
   */
  it('belongs to the tree of its first session, also over an old fork in the bin', async () => {
    await core.dispose();
    const path = join(folder, 'project');
    await mkdir(path);
    const store = storeOfHome();
    const create = async (parentId: string | null): Promise<string> => {
      const workspace = { mode: 'in-place', path } as const;
      const journal = await store.create({ title: 'Old', projectPath: path, workspace, parentId });
      await journal.close();
      return journal.sessionId;
    };
    const root = await create(null);
    const between = await create(root);
    const old = await create(between);
    core = await openCore('home');
    await core.client.sessions.delete({ sessionId: between });
    const { sessionId } = await core.client.sessions.fork({ sessionId: old });
    const { state } = await core.client.sessions.show({ sessionId });
    expect(state.tree).toEqual({ rootId: root, depth: 0 });
    // A fork of that fork has the same place in the tree.
    const next = await core.client.sessions.fork({ sessionId });
    const shown = await core.client.sessions.show(next);
    expect(shown.state.tree).toEqual({ rootId: root, depth: 0 });
  });

  it('does not count earlier costs again', async () => {
    const { id } = await sessionInProject();
    await core.client.sessions.fork({ sessionId: id });
    expect((await core.client.costs({ by: 'session' })).total.costUsd).toBe(1);
  });

  /** Catches: a regenerated answer that is a session of its own in lists, or that is left behind by what is done to its talk. */
  it('is one session with its original when it is another branch of the talk', async () => {
    const id = await runTask();
    const { sessions } = core.client;
    const [first] = (await sessions.show({ sessionId: id })).state.messages;
    const at = { before: first?.messageId ?? '' };
    const { sessionId: branch } = await sessions.fork({ sessionId: id, at, isBranch: true });
    await sessions.send({ sessionId: branch, text: 'Fix the bug with a comment, zebra.', options });
    await sessions.result({ sessionId: branch });
    const again = await sessions.fork({ sessionId: branch, isBranch: true });
    const apart = await sessions.fork({ sessionId: branch });
    const talks = asTalks(await sessions.list());
    expect(talks.map(({ title }) => title).sort()).toEqual(['Adding', 'Adding (fork)']);
    const talk = talks.find(({ title }) => title === 'Adding');
    expect(talk?.branches?.toSorted()).toEqual([id, branch, again.sessionId].sort());
    expect(await sessions.replay({ sessionId: branch })).toMatchObject({ matched: true, firstDifference: null });
    const found = await sessions.search({ text: 'zebra' });
    expect(found.hits.filter(({ sessionId }) => sessionId !== apart.sessionId)).toHaveLength(1);
    await sessions.rename({ sessionId: branch, title: 'Sums' });
    expect(await sessions.organize({ sessionIds: [id], isPinned: true })).toEqual({ done: [id], refused: [] });
    const listed = (await sessions.list()).filter(({ sessionId }) => sessionId !== apart.sessionId);
    expect(listed.map(({ title, isPinned }) => [title, isPinned])).toEqual(Array.from(listed, () => ['Sums', true]));
    const path = join(folder, 'talk.md');
    expect(await sessions.export({ sessionId: branch, path })).toMatchObject({ branches: 2 });
    expect(await readFile(path, 'utf8')).toContain('2 other branches are not in this file.');
    await sessions.delete({ sessionId: again.sessionId });
    expect((await sessions.list()).map(({ sessionId }) => sessionId)).toEqual([apart.sessionId]);
    expect(await sessions.binned()).toHaveLength(1);
    await sessions.restore({ id });
    expect(await sessions.list()).toHaveLength(4);
  });

  it('is refused at a step that does not exist', async () => {
    const id = await runTask();
    await expect(core.client.sessions.fork({ sessionId: id, at: { after: 'call-none' } })).rejects.toMatchObject({
      data: { code: 'not-found' },
    });
    expect(await core.client.sessions.list()).toHaveLength(1);
  });
});

it('the name of a session can be changed for good', async () => {
  const id = await runTask();
  await core.client.sessions.rename({ sessionId: id, title: 'Sums' });
  await core.dispose();
  core = await openCore('home');
  expect((await core.client.sessions.list()).map(({ title }) => title)).toEqual(['Sums']);
  expect((await core.client.sessions.replay({ sessionId: id })).matched).toBe(true);
});

describe('the bin', () => {
  it('hides a session from the list and from search, and gives it back unchanged', async () => {
    const id = await runTask();
    const before = await core.client.sessions.show({ sessionId: id });
    expect((await core.client.sessions.search({ text: 'bug', limit: 10 })).hits).not.toEqual([]);
    await core.client.sessions.delete({ sessionId: id });
    expect(await core.client.sessions.list()).toEqual([]);
    expect((await core.client.sessions.search({ text: 'bug', limit: 10 })).hits).toEqual([]);
    await expect(core.client.sessions.show({ sessionId: id })).rejects.toMatchObject({ data: { code: 'not-found' } });
    expect((await core.client.sessions.binned()).map(({ sessionId }) => sessionId)).toEqual([id]);
    expect((await core.client.costs({ by: 'session' })).rows).toHaveLength(1);
    await core.client.sessions.restore({ id: id.slice(0, 12) });
    expect((await core.client.sessions.show({ sessionId: id })).state).toEqual(before.state);
    expect(await core.client.sessions.binned()).toEqual([]);
    await core.client.sessions.send({ sessionId: id, text: 'Which file was it?', options });
    await core.client.sessions.cancel({ sessionId: id });
  });

  it('deletes a session for good with its own folder, and nothing else', async () => {
    const id = await runTask();
    const path = (await core.client.sessions.show({ sessionId: id })).state.workspace?.path ?? '';
    await core.client.sessions.delete({ sessionId: id });
    await core.client.sessions.purge({ id });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(core.client.sessions.restore({ id })).rejects.toMatchObject({
      data: {
        code: 'not-found',
        hint: expect.stringContaining('sessions bin'),
      },
    });
    const kept = await sessionInProject();
    await core.client.sessions.delete({ sessionId: kept.id });
    await core.client.sessions.purge({ id: kept.id });
    expect(await readFile(join(kept.project, 'a.txt'), 'utf8')).toBe('three');
  });
});

describe('export and import', () => {
  const file = (): string => join(folder, 'session.dewpoint');

  it('carry a session to another home, where it reads and replays the same', async () => {
    const id = await runTask();
    const before = (await core.client.sessions.show({ sessionId: id })).state;
    await core.client.sessions.export({ sessionId: id, path: file() });
    await core.dispose();
    core = await openCore('other');
    const { sessionId: imported } = await core.client.sessions.import({ path: file() });
    const { state, money } = await core.client.sessions.show({ sessionId: imported });
    expect(imported).not.toBe(id);
    expect(state.turns).toEqual(before.turns);
    expect(state.workspace?.path.startsWith(join(folder, 'other', 'workspaces'))).toBe(true);
    expect([state.workspace?.mode, state.projectPath, state.changes, money.calls]).toEqual(['scratch', null, [], 0]);
    expect((await core.client.sessions.replay({ sessionId: imported })).matched).toBe(true);
    expect(
      (await core.client.sessions.detail({ sessionId: imported, id: before.steps[0]?.callId ?? '' })).request,
    ).not.toBeNull();
  });

  it('refuse a file that is no session, and leave nothing behind', async () => {
    const id = await runTask();
    await core.client.sessions.export({ sessionId: id, path: file() });
    await core.client.sessions.delete({ sessionId: id });
    const good = gunzipSync(await readFile(file()));
    const text = good.toString('latin1');
    const bad: Record<string, Buffer> = {
      'no gzip': Buffer.from('hello'),
      'another kind of file': gzipSync('PK and more\n'),
      'a header of another shape': gzipSync('dewpoint-session 1\n{"sessionId":1}\n'),
      'an end that is missing': gzipSync(good.subarray(0, good.length - 5)),
      'something behind the end': gzipSync(Buffer.concat([good, Buffer.from('x')])),
      'a changed byte of a record': gzipSync(Buffer.from(text.replace('Fix the bug', 'Fix the bag'), 'latin1')),
      'a changed byte of a file': gzipSync(Buffer.from(text.slice(0, -3) + '???', 'latin1')),
      'a sealed record of a wrong shape': gzipSync(
        `${text.split('\n').slice(0, 2).join('\n')}\n${sealRecord({ v: 2, seq: 1, at: 1, type: 'turn-ended', reason: 7 }).toString()}\n`,
      ),
    };
    for (const [name, bytes] of Object.entries(bad)) {
      await writeFile(file(), bytes);
      const importing = core.client.sessions.import({ path: file() });
      await expect(importing, name).rejects.toMatchObject({ data: { code: 'bad-input' } });
    }
    await expect(core.client.sessions.import({ path: join(folder, 'none') })).rejects.toMatchObject({
      data: { code: 'not-found' },
    });
    await expect(core.client.sessions.import({ path: 'relative' })).rejects.toMatchObject({
      data: { code: 'bad-input' },
    });
    expect(await core.client.sessions.list()).toEqual([]);
  });

  it('trust nothing that a foreign log says about places on this machine', async () => {
    const victim = join(folder, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'a.txt'), 'mine');
    const mine = createHash('sha256').update('mine').digest('hex');
    const evil = createHash('sha256').update('evil').digest('hex');
    const created = {
      type: 'session-created',
      logVersion: 4,
      sessionId: 'x',
      appVersion: 'x',
      title: 'x',
      projectPath: victim,
      workspace: { mode: 'in-place', path: victim },
      parentId: null,
      groupId: null,
    };
    const image = (sha256: string): object => ({ kept: true, blob: { sha256, bytes: 4 }, mode: 0o644 });
    const change = {
      type: 'file-changed',
      path: 'a.txt',
      before: image(evil),
      after: image(mine),
      by: 'model',
      toolCallId: null,
      added: 1,
      removed: 1,
      undoes: [],
    };
    const records = [created, created, change].map((event, index) =>
      sealRecord({ v: 2, seq: index + 1, at: 5, ...event }).toString(),
    );
    const header = { sessionId: 'x', title: 'x', appVersion: 'x', exportedAt: 1, blobs: [{ sha256: evil, bytes: 4 }] };
    await writeFile(file(), gzipSync(`dewpoint-session 1\n${JSON.stringify(header)}\n${records.join('')}\nevil`));
    const { sessionId: id } = await core.client.sessions.import({ path: file() });
    const { state } = await core.client.sessions.show({ sessionId: id });
    expect([state.projectPath, state.workspace?.path.startsWith(victim)]).toEqual([null, false]);
    expect(await core.client.changes.undo({ sessionId: id, paths: [] })).toEqual({ done: [], refused: [] });
    expect(await core.client.changes.take({ sessionId: id, paths: [] })).toEqual({ done: [], refused: [] });
    expect(await readFile(join(victim, 'a.txt'), 'utf8')).toBe('mine');
  });
});

describe('an export for readers', () => {
  it('is Markdown with the messages, each call, the changes and the cost', async () => {
    const id = await runTask();
    const path = join(folder, 'talk.md');
    await core.client.sessions.export({ sessionId: id, path });
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^# Adding\n\n## You, /u);
    expect(text).toContain('Fix the bug in add().');
    expect(text).toContain('Looking.');
    expect(text).toMatch(/^- .*pytest -q.* \(ok, exit code 0, /mu);
    expect(text).toContain('-    return a - b\n+    return a + b');
    expect(text.split('It adds now.')).toHaveLength(2);
  });

  it('is one page that runs and loads nothing, in which text of a model is only text', async () => {
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null, title: '<b>x</b>' });
    await core.client.sessions.send({ sessionId: id, text: '<img src=x onerror=alert(1)>', options });
    await core.client.sessions.result({ sessionId: id });
    const path = join(folder, 'talk.html');
    await core.client.sessions.export({ sessionId: id, path });
    const page = await readFile(path, 'utf8');
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<(?:script|img|b)\b/u);
    expect(page).toContain('<del>-    return a - b</del>');
  });

  it('is a line of JSON for each call, with its step, arguments, exit code, output and duration', async () => {
    const id = await runTask();
    const path = join(folder, 'calls.jsonl');
    await core.client.sessions.export({ sessionId: id, path });
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const calls = lines.map((line): Record<string, unknown> => JSON.parse(line));
    expect(calls.find(({ tool }) => tool === 'run_command')).toMatchObject({
      turn: 1,
      iteration: 3,
      arguments: { command: 'pytest -q' },
      result: { status: 'ok', exitCode: 0, output: expect.stringContaining('1 passed') },
      durationMs: expect.any(Number),
    });
    expect(calls.map(({ tool }) => tool)).not.toContain('gather_facts');
  });

  // Catches: messages in the page that the window no longer shows, and a total without what they cost.
  it('shows what the window shows of a restored session, with the whole cost, and every call that ran', async () => {
    const id = await restoredSession();
    const [page, markdown, lines] = ['talk.html', 'talk.md', 'calls.jsonl'].map((name) => join(folder, name));
    const written = async (path = ''): Promise<string> => {
      await core.client.sessions.export({ sessionId: id, path });
      return readFile(path, 'utf8');
    };
    for (const text of [await written(page), await written(markdown)]) {
      for (const shown of ['Write three.', 'Another way.']) expect(text).toContain(shown);
      for (const gone of ['Not like this.', 'Regretted.', 'rm notes']) expect(text).not.toContain(gone);
      expect(text).toContain('A task was taken back by a restore · $0.2500');
      expect(text).toContain('Together: $1.2500');
    }
    expect(await written(lines)).toContain('rm notes');
  });

  it('leaves a file beside it alone that somebody else has there, and writes no unknown form', async () => {
    const id = await restoredSession();
    for (const name of ['talk.html', 'talk.md', 'calls.jsonl']) {
      await writeFile(join(folder, `${name}.part`), 'mine');
      await core.client.sessions.export({ sessionId: id, path: join(folder, name) });
      expect(await readFile(join(folder, `${name}.part`), 'utf8')).toBe('mine');
    }
    const pdf = core.client.sessions.export({ sessionId: id, path: join(folder, 'talk.pdf') });
    await expect(pdf).rejects.toThrow('A session is not written as .pdf. Nothing was written.');
    const found = await readdir(folder);
    expect(found.filter((name) => name.startsWith('talk') || name.startsWith('calls'))).toHaveLength(6);
    const nowhere = core.client.sessions.export({ sessionId: id, path: join(folder, 'nowhere', 'talk.md') });
    await expect(nowhere).rejects.toThrow('cannot be written: its folder');
  });
});

/** A second task and its call were taken back, then came a third one. */
async function restoredSession(): Promise<string> {
  await core.dispose();
  const journal = await storeOfHome().create({
    title: 'Restored',
    projectPath: null,
    workspace: { mode: 'scratch', path: folder },
  });
  await appendSteps(journal);
  const turnId = 'turn-2';
  const limits = { maxSteps: 9, maxMinutes: 9, maxTokens: 99, maxUsd: null };
  const end = { type: 'turn-ended', reason: 'done', confidence: null, failure: null } as const;
  const call = { toolCallId: 'tool-2', tool: 'run_command' };
  const asked = { messageId: 'message-2', text: 'Not like this.' };
  const { seq } = await journal.append({ type: 'user-message-added', ...asked, queued: false });
  const events: readonly NewEvent[] = [
    { type: 'turn-started', turnId, messageId: 'message-2', check: null, cascade: [], limits },
    { type: 'tool-started', turnId, ...call, by: 'model', input: { command: 'rm notes' }, label: 'rm notes' },
    {
      type: 'tool-ended',
      turnId,
      ...call,
      status: 'ok',
      output: '',
      full: null,
      exitCode: 0,
      durationMs: 1,
      data: null,
      dataBlob: null,
    },
    {
      type: 'model-call-ended',
      turnId,
      callId: 'call-3',
      parts: [],
      stopReason: 'stop',
      usage: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, estimated: false },
      evaluatedTokens: 1,
      timings: { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 },
      price: null,
      costUsd: 0.25,
      error: null,
    },
    { ...end, turnId, text: 'Regretted.' },
  ];
  for (const event of events) await journal.append(event);
  const began = { checkpoint: 'message-2', upToSeq: seq - 1, files: false, conversation: true, cutTurnId: null };
  const { seq: beganSeq } = await journal.append({ type: 'restore-began', ...began });
  await journal.append({ type: 'restore-ended', beganSeq, outcome: 'done', restored: [], merged: [], kept: [] });
  const later = { messageId: 'message-3', text: 'Another way.' };
  await journal.append({ type: 'user-message-added', ...later, queued: false });
  await journal.close();
  core = await openCore('home');
  return journal.sessionId;
}
