import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import { keyOfRecord, longestInstructions } from '../../../src/shared/projects/project-keys.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import type { ClientCore } from '../../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

let folder = '';
let core: ClientCore;

const open = (): Promise<ClientCore> =>
  openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-book-')));
  await mkdir(join(folder, 'home'));
  await mkdir(join(folder, 'taxes'));
  core = await open();
  const scripted = (where: string) => ({ kind: 'scripted', replies: [{ text: 'Yes.' }], repeat: true, where });
  await core.client.settings.set({ key: 'providers', value: { here: scripted('local'), there: scripted('cloud') } });
  await core.client.settings.set({ key: 'local', value: 'here/script' });
  await core.client.settings.set({ key: 'cloud', value: 'there/script' });
  await core.client.settings.set({ key: 'policy', value: 'cloud' });
});
afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function reopen(): Promise<void> {
  await core.dispose();
  core = await open();
}

async function say(sessionId: string, text: string): Promise<void> {
  await core.client.sessions.send({ sessionId, text, options: runOptionsSchema.parse({}), attachments: [] });
  await core.client.sessions.result({ sessionId });
}

/** The system text of the last call, as it was sent. */
async function lastSystem(sessionId: string): Promise<string> {
  const { state } = await core.client.sessions.show({ sessionId });
  const callId = state.steps.at(-1)?.callId ?? '';
  const { request } = await core.client.sessions.detail({ sessionId, id: callId });
  return request?.messages.find(({ role }) => role === 'system')?.text ?? '';
}

async function newTalk(): Promise<string> {
  return (await core.client.sessions.create({ projectPath: null })).sessionId;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no failure',
    (error: unknown) => String(Reflect.get(Object(error), 'message')),
  );
}

describe('a project of the user', () => {
  it('needs no folder, and has its name, icon and instructions after a restart', async () => {
    const name = 'Steuer 2026 ‮ 税 ضريبة';
    const { key, id } = await core.client.projects.create({ name, instructions: 'Answer in German.' });
    expect(key).toBe(`project:${id}`);
    await core.client.projects.change({ project: key, change: { type: 'icon', icon: { text: '👩‍🔬', color: 'gray' } } });
    await reopen();
    const page = await core.client.projects.page({ project: key });
    expect(page.head).toMatchObject({ name, icon: { text: '👩‍🔬' }, folder: null });
    expect(page.instructions).toMatchObject({ text: 'Answer in German.', tokens: 6, problem: null });
    expect(await readFile(page.file ?? '', 'utf8')).toBe('Answer in German.\n');
  });

  it('may have the name of another one', async () => {
    const [one, other] = [
      await core.client.projects.create({ name: 'A' }),
      await core.client.projects.create({ name: 'A' }),
    ];
    expect(one.id).not.toBe(other.id);
    await core.client.projects.change({ project: one.key, change: { type: 'instructions', text: 'First.' } });
    expect((await core.client.projects.page({ project: other.key })).instructions.text).toBe('');
  });

  it('refuses instructions that are too long and says what was kept', async () => {
    const { key } = await core.client.projects.create({ name: 'A', instructions: 'Short.' });
    const text = 'x'.repeat(1_048_576);
    const message = await failureOf(
      core.client.projects.change({ project: key, change: { type: 'instructions', text } }),
    );
    expect(message).toBe(
      'The instructions have 1,048,576 characters, and a project takes 16,000. Nothing was changed.',
    );
    expect((await core.client.projects.page({ project: key })).instructions.text).toBe('Short.');
    expect(await failureOf(core.client.projects.create({ name: 'B', instructions: text }))).toContain('1,048,576');
    expect(await core.client.projects.records()).toHaveLength(1);
  });

  it('takes what was set for it along when it gets its folder, in the same write', async () => {
    const { key, id } = await core.client.projects.create({ name: 'Taxes' });
    await core.client.projects.configure({
      projectPath: key,
      change: { type: 'choose', choices: { policy: 'local' } },
    });
    await core.client.budget.change({ scope: 'project', projectPath: key, change: { how: 'set', usd: 3 } });
    await core.client.memory.add({ projectPath: key, text: 'Dates are written as 2026-11-29.', of: 'project' });
    await core.client.settings
      .set({ key: 'fences.rules', value: [{ name: 'own', project: key, paths: ['**'], action: 'local' }] })
      .catch(() => undefined);
    const path = join(folder, 'taxes');
    const talk = await newTalk();
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    await core.client.projects.change({ project: key, change: { type: 'folder', path } });
    await reopen();
    expect((await core.client.projects.settings({ projectPath: path })).own).toEqual({ policy: 'local' });
    expect((await core.client.memory.list({ projectPath: path })).lines).toHaveLength(1);
    const caps = await core.client.budget.show({ projectPath: path });
    expect(caps.find(({ scope }) => scope === 'project')).toMatchObject({ limitUsd: 3, isOwn: true });
    expect(JSON.stringify(await core.client.settings.get({}))).not.toContain(key);
    expect((await core.client.sessions.list())[0]).toMatchObject({ projectPath: null, project: path });
    expect(keyOfRecord(id, { folder: path })).toBe(path);
    const again = core.client.projects.change({
      project: path,
      change: { type: 'folder', path: join(folder, 'home') },
    });
    expect(await failureOf(again)).toContain('has the folder');
  });

  it('does not take a folder that belongs to another one', async () => {
    const path = join(folder, 'taxes');
    await core.client.projects.create({ name: 'A', folder: path });
    expect(await failureOf(core.client.projects.create({ name: 'B', folder: path }))).toContain(
      'belongs to another project',
    );
    expect(await core.client.projects.records()).toHaveLength(1);
  });
});

describe('a deleted project', () => {
  it('leaves its talks and its folder, and comes back whole', async () => {
    const { key, id } = await core.client.projects.create({ name: 'Taxes', instructions: 'Answer in German.' });
    const talk = await newTalk();
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    const removal = await core.client.projects.removal({ project: key });
    expect(removal.lost).toContain('Your instructions for it');
    expect(removal.kept).toEqual(['1 session, with all that it said']);
    expect(await core.client.projects.remove({ project: key })).toEqual({ id });
    await reopen();
    expect((await core.client.sessions.list())[0]).toMatchObject({ sessionId: talk, project: null });
    await say(talk, 'Is this still a talk?');
    expect(await lastSystem(talk)).not.toContain('German');
    await core.client.projects.restore({ id });
    expect((await core.client.projects.page({ project: key })).instructions.text).toBe('Answer in German.');
    expect((await core.client.sessions.list())[0]?.project).toBe(key);
  });

  it('is whole or gone, wherever the program is killed', async () => {
    const { key, id } = await core.client.projects.create({ name: 'Taxes', instructions: 'Answer in German.' });
    // Killed after the note for a restore, before the record was gone: nothing is deleted.
    await writeFile(join(folder, 'home', 'projects', id, 'removed.json'), '{"removedAt":1,"record":{"name":"Taxes"}}');
    await reopen();
    expect((await core.client.projects.page({ project: key })).instructions.text).toBe('Answer in German.');
    // Killed while the instructions were written: the old ones stay, the rest is ignored.
    await writeFile(join(folder, 'home', 'projects', id, 'instructions.md.tmp'), 'Half');
    expect((await core.client.projects.page({ project: key })).instructions.text).toBe('Answer in German.');
  });
});

describe('a talk', () => {
  it('uses the instructions of its project from the next message on, and keeps what was said', async () => {
    const { key, id } = await core.client.projects.create({ name: 'Taxes', instructions: 'Answer in German.' });
    const talk = await newTalk();
    await say(talk, 'What is the capital of Peru?');
    expect(await lastSystem(talk)).not.toContain('German');
    expect(await core.client.sessions.move({ sessionIds: [talk], project: key })).toEqual({
      done: [talk],
      refused: [],
    });
    await say(talk, 'And of Chile, please?');
    expect(await lastSystem(talk)).toContain('The user says for everything in this project:\nAnswer in German.');
    await reopen();
    await core.client.sessions.move({ sessionIds: [talk], project: null });
    await say(talk, 'And of Bolivia, please?');
    expect(await lastSystem(talk)).not.toContain('German');
    const events = await eventsOf(core.client, talk);
    expect(events.flatMap((event) => (event.type === 'session-moved' ? [event.project] : []))).toEqual([id, null]);
    const { state } = await core.client.sessions.show({ sessionId: talk });
    expect(state.messages).toHaveLength(3);
    expect(await core.client.sessions.replay({ sessionId: talk })).toMatchObject({ matched: true });
  });

  it('that used the cloud stays here in a project that is local only, which is said before', async () => {
    const { key } = await core.client.projects.create({ name: 'Private' });
    await core.client.projects.configure({
      projectPath: key,
      change: { type: 'choose', choices: { policy: 'local' } },
    });
    const talk = await newTalk();
    const options = runOptionsSchema.parse({ policy: 'cloud' });
    await core.client.sessions.send({
      sessionId: talk,
      text: 'What is the capital of Peru?',
      options,
      attachments: [],
    });
    await core.client.sessions.result({ sessionId: talk });
    const [preview] = await core.client.sessions.movePreview({ sessionIds: [talk], project: key });
    expect(preview).toMatchObject({
      refused: null,
      changes: ['In Private, messages stay on this machine. This session used the cloud model there/script.'],
    });
    await core.client.settings.set({ key: 'policy', value: 'local' });
    const [made] = await core.client.sessions.movePreview({ sessionIds: [talk], project: null, isNew: true });
    expect(made?.changes).toEqual([
      'In the new project, messages stay on this machine. This session used the cloud model there/script.',
    ]);
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    expect((await core.client.sessions.show({ sessionId: talk })).state.chosen).toEqual({});
    await say(talk, 'And of Chile, please?');
    const { state } = await core.client.sessions.show({ sessionId: talk });
    expect(state.steps.map(({ where }) => where)).toEqual(['cloud', 'local']);
  });

  it('stays here in a project that is local only, also where a kind of work goes to the cloud', async () => {
    const { key } = await core.client.projects.create({ name: 'Private' });
    const change = { type: 'choose', choices: { policy: 'local' } } as const;
    await core.client.projects.configure({ projectPath: key, change });
    const way = { policy: 'cloud', cloud: 'there/script' } as const;
    const ways = { everywhere: { answer: way } };
    await core.client.settings.set({ key: 'policy', value: 'local' });
    await core.client.settings.set({ key: 'kindWays', value: ways });
    const places = async (project: string | null): Promise<readonly string[]> => {
      const { sessionId } = await core.client.sessions.create({ projectPath: null, project });
      await say(sessionId, 'What is the capital of Peru?');
      return (await core.client.sessions.show({ sessionId })).state.steps.map(({ where }) => where);
    };
    expect(await places(null)).toEqual(['cloud']);
    expect(await places(key)).toEqual(['local']);
  });

  // Catches: a talk that leaves the rules of its project, while the question before says nothing of them.
  it('is said to leave the fences of its project behind', async () => {
    const { key } = await core.client.projects.create({ name: 'Private' });
    await core.client.settings.set({
      key: 'fences.rules',
      value: [{ paths: ['**'], verdict: 'local-only', project: key }],
    });
    const { sessionId } = await core.client.sessions.create({ projectPath: null, project: key });
    const [out] = await core.client.sessions.movePreview({ sessionIds: [sessionId], project: null });
    expect(out?.changes).toContain('The fences of its project no longer hold, also for what was said before.');
    const [stays] = await core.client.sessions.movePreview({ sessionIds: [sessionId], project: key });
    expect(stays?.changes).not.toContain('The fences of its project no longer hold, also for what was said before.');
  });

  it('begins with the assistant and the mode of its project', async () => {
    const { key } = await core.client.projects.create({ name: 'A' });
    await core.client.assistants.save({ name: 'teacher', text: 'Explain it.', replace: false });
    await core.client.projects.change({ project: key, change: { type: 'assistant', assistant: 'teacher' } });
    await core.client.projects.change({ project: key, change: { type: 'mode', mode: 'ask' } });
    const { sessionId } = await core.client.sessions.create({ projectPath: null, project: key });
    const chosen = { assistant: 'teacher', mode: 'ask' };
    expect((await core.client.sessions.show({ sessionId })).state).toMatchObject({ chosen });
    const talk = await newTalk();
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    expect((await core.client.sessions.show({ sessionId: talk })).state.chosen).toEqual(chosen);
  });

  it('stays in its project as a fork and as another branch, and leaves it when it is imported', async () => {
    const { key, id } = await core.client.projects.create({ name: 'Taxes', instructions: 'Answer in German.' });
    const { sessionId } = await core.client.sessions.create({ projectPath: null, project: key });
    await say(sessionId, 'What is the capital of Peru?');
    for (const isBranch of [true, false]) {
      const fork = await core.client.sessions.fork({ sessionId, isBranch });
      await say(fork.sessionId, 'And of Chile, please?');
      expect(await lastSystem(fork.sessionId)).toContain('Answer in German.');
    }
    const talk = await newTalk();
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    const path = join(folder, 'talk.dewpoint');
    await core.client.sessions.export({ sessionId: talk, path });
    const imported = await core.client.sessions.import({ path });
    const { state } = await core.client.sessions.show({ sessionId: imported.sessionId });
    expect(state.project).toBeNull();
    expect((await core.client.sessions.show({ sessionId: talk })).state.project).toBe(id);
  });

  it('is as a fork where its parent is now, also from before a move between two projects', async () => {
    const first = await core.client.projects.create({ name: 'First', instructions: 'Answer in German.' });
    const second = await core.client.projects.create({ name: 'Second', instructions: 'Answer in French.' });
    await core.client.projects.configure({
      projectPath: second.key,
      change: { type: 'choose', choices: { policy: 'local' } },
    });
    const talk = await newTalk();
    await core.client.sessions.move({ sessionIds: [talk], project: first.key });
    const options = runOptionsSchema.parse({ policy: 'cloud' });
    await core.client.sessions.send({
      sessionId: talk,
      text: 'What is the capital of Peru?',
      options,
      attachments: [],
    });
    await core.client.sessions.result({ sessionId: talk });
    const { state: before } = await core.client.sessions.show({ sessionId: talk });
    await core.client.sessions.move({ sessionIds: [talk], project: second.key });
    const at = { after: before.turns.at(-1)?.id ?? '' };
    for (const isBranch of [true, false]) {
      const { sessionId } = await core.client.sessions.fork({ sessionId: talk, at, isBranch });
      const { state } = await core.client.sessions.show({ sessionId });
      expect(state).toMatchObject({ project: second.id, chosen: {} });
      await say(sessionId, 'And of Chile, please?');
      expect(await lastSystem(sessionId)).toContain('Answer in French.');
      expect((await core.client.sessions.show({ sessionId })).state.steps.at(-1)?.where).toBe('local');
    }
    await core.client.sessions.move({ sessionIds: [talk], project: null });
    const { sessionId } = await core.client.sessions.fork({ sessionId: talk, at });
    expect((await core.client.sessions.show({ sessionId })).state.project).toBeNull();
  });

  it('takes the instructions and the models of its project at its next step, if it is moved while it works', async () => {
    const { key } = await core.client.projects.create({ name: 'Private', instructions: 'Answer in German.' });
    const change = { type: 'choose', choices: { policy: 'local' } } as const;
    await core.client.projects.configure({ projectPath: key, change });
    const looking = { toolCalls: [{ name: 'list_files', input: {} }], delayMs: 500 };
    const slow = { kind: 'scripted', strategies: ['loop'], replies: [looking, { text: 'Yes.' }], where: 'cloud' };
    await core.client.settings.set({ key: 'providers.slow', value: slow });
    const talk = await newTalk();
    const options = runOptionsSchema.parse({
      policy: 'cloud',
      cloud: 'slow/script',
      mode: 'work',
      sandbox: 'read-only',
    });
    await core.client.sessions.send({ sessionId: talk, text: 'Look at the files.', options, attachments: [] });
    await expect
      .poll(async () => (await core.client.sessions.show({ sessionId: talk })).state.steps.length, { timeout: 20_000 })
      .toBe(1);
    expect(await core.client.sessions.move({ sessionIds: [talk], project: key })).toMatchObject({ refused: [] });
    await core.client.sessions.result({ sessionId: talk });
    const { state } = await core.client.sessions.show({ sessionId: talk });
    expect(state.turns).toHaveLength(1);
    expect(state.steps.map(({ where }) => where)).toEqual(['cloud', 'local']);
    expect(await lastSystem(talk)).toContain('Answer in German.');
    expect(await core.client.sessions.replay({ sessionId: talk })).toMatchObject({ matched: true });
  });

  it('is not moved if it works in a folder, and another one is', async () => {
    const { key } = await core.client.projects.create({ name: 'A' });
    const task = (await core.client.sessions.create({ projectPath: join(folder, 'taxes') })).sessionId;
    const talk = await newTalk();
    const { done, refused } = await core.client.sessions.move({ sessionIds: [task, talk], project: key });
    expect(done).toEqual([talk]);
    expect(refused[0]?.why).toContain('Only sessions without a folder can be moved.');
  });

  it('gets nothing rather than a part, if the file with the instructions cannot be used', async () => {
    const { key, id } = await core.client.projects.create({ name: 'A', instructions: 'Short.' });
    const { sessionId } = await core.client.sessions.create({ projectPath: null, project: key });
    await writeFile(join(folder, 'home', 'projects', id, 'instructions.md'), 'x'.repeat(longestInstructions + 1));
    const message = await failureOf(say(sessionId, 'What is the capital of Peru?'));
    expect(message).toContain('The instructions of this project cannot be used.');
    expect((await core.client.sessions.show({ sessionId })).state.messages).toEqual([]);
  });

  it('counts to the costs of its project', async () => {
    const { key } = await core.client.projects.create({ name: 'A' });
    const talk = await newTalk();
    await say(talk, 'What is the capital of Peru?');
    const callsOf = async () => (await core.client.costs({ by: 'project', project: key })).total.calls;
    expect(await callsOf()).toBe(0);
    await core.client.sessions.move({ sessionIds: [talk], project: key });
    expect(await callsOf()).toBeGreaterThan(0);
  });
});
