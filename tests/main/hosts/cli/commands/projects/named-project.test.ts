import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { success } from '../../../../../../src/shared/errors.ts';
import { costs } from '../../../../../../src/main/hosts/cli/commands/costs.command.ts';
import { knowledge } from '../../../../../../src/main/hosts/cli/commands/projects/knowledge.command.ts';
import { memory } from '../../../../../../src/main/hosts/cli/commands/projects/memory.command.ts';
import { keyOfWord } from '../../../../../../src/main/hosts/cli/commands/projects/named-project.ts';
import { chosenFolders } from '../../../../../../src/main/hosts/cli/commands/projects/chosen-folders.command.ts';
import { mapProject } from '../../../../../../src/main/hosts/cli/commands/projects/map-project.command.ts';
import { projectList } from '../../../../../../src/main/hosts/cli/commands/projects/project-list.command.ts';
import { searchProject } from '../../../../../../src/main/hosts/cli/commands/projects/search-project.command.ts';
import { skills } from '../../../../../../src/main/hosts/cli/commands/projects/skills.command.ts';
import { listRules } from '../../../../../../src/main/hosts/cli/commands/rules.command.ts';
import { tools } from '../../../../../../src/main/hosts/cli/commands/tools.command.ts';
import { showRecord } from '../../../../../../src/main/hosts/cli/reports/show-record.ts';
import { projectPage } from '../../../../../../src/main/hosts/cli/commands/projects/project-page.command.ts';
import { run } from '../../../../../../src/main/hosts/cli/commands/run.command.ts';
import { moveTalks } from '../../../../../../src/main/hosts/cli/commands/sessions/move-sessions.command.ts';
import { listSessions } from '../../../../../../src/main/hosts/cli/commands/sessions/list-sessions.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import type { ClientCore } from '../../../../../fakes/core-client.ts';
import { openClientCore } from '../../../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../../../fakes/sandbox/memory-sandbox.ts';

let folder = '';
let core: ClientCore;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-named-')));
  for (const name of ['home', 'here', 'elsewhere', 'elsewhere/app']) await mkdir(join(folder, name));
  vi.spyOn(process, 'cwd').mockReturnValue(join(folder, 'here'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const here = { kind: 'scripted', replies: [{ text: 'Ja.' }], repeat: true, where: 'local' };
  await core.client.settings.set({ key: 'providers', value: { here } });
  await core.client.settings.set({ key: 'local', value: 'here/script' });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

const key = (word: string): Promise<string> => keyOfWord(async () => core.client, word);

async function asked(word: string, text: string): Promise<{ readonly out: string; readonly err: string }> {
  const { context, said } = commandContext(core);
  expect(await run(context, text, { project: word })).toBe(0);
  return said;
}

describe('the project that a word means', () => {
  it('is that of an id, a name in any case, or a path', async () => {
    const { id, key: own } = await core.client.projects.create({ name: 'Tax 2026' });
    expect([await key(id), await key('tax 2026'), await key(own)]).toEqual([own, own, own]);
    expect(await key('./elsewhere')).toBe(join(folder, 'here', 'elsewhere'));
    expect(await key('/gone/for/good')).toBe('/gone/for/good');
  });

  // Bug: these took a name for a folder, and said that it was not found.
  it('is known to the commands of tools, rules, folders and the record, also without a folder', async () => {
    const { key: own } = await core.client.projects.create({ name: 'Tax 2026' });
    const project = 'tax 2026';
    const { context, said } = commandContext(core);
    await core.client.tools.add({
      name: 'docs',
      definition: { kind: 'http', url: 'https://x.example.org', headers: [] },
    });
    const codes = [
      await tools(context, 'off', ['docs'], { project }),
      await tools(context, 'list', [], { project }),
      await listRules(context, { project }),
      await chosenFolders(context, 'list', project, {}),
      await showRecord(core.client, context.terminal, { learned: true, project }),
    ];
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(said.err).not.toContain('was not found');
    const [docs] = await core.client.tools.list({ projectPath: own });
    expect(docs).toMatchObject({ name: 'docs', own: false });
    expect(await skills(context, 'list', '', { project })).toBe(0);
    expect(await searchProject(context, { folder: project, words: ['rate'] }, {})).toBe(0);
    expect(said.err).toContain('The project has no knowledge and no folder.');
    const needsFolder = { message: 'The project tax 2026 has no folder, and this works on files.' };
    await expect(mapProject(context, project, {})).rejects.toMatchObject(needsFolder);
    const deleted = { hint: `Delete it: dewpoint projects delete ${own.slice('project:'.length)}` };
    const id = own.slice('project:'.length);
    await expect(projectList(context, 'remove', id, {})).rejects.toMatchObject(deleted);
  });

  it('is asked for where two have the name, with words that tell them apart', async () => {
    const one = await core.client.projects.create({ name: 'Notes' });
    const other = await core.client.projects.create({ name: 'notes' });
    const failure = {
      message: '2 projects can be meant by Notes.',
      hint: `Name one of them: ${one.id}, ${other.id}. See: dewpoint projects list`,
    };
    await expect(key('Notes')).rejects.toMatchObject(failure);
  });

  it('is the folder here before one elsewhere of its name, but not before one that the user called so', async () => {
    await core.client.sessions.create({ projectPath: join(folder, 'elsewhere', 'app') });
    // Nothing here is called so yet.
    expect(await key('app')).toBe(join(folder, 'elsewhere', 'app'));
    const here = join(folder, 'here', 'app');
    await mkdir(here);
    expect(await key('app')).toBe(here);
    const { id } = await core.client.projects.create({ name: 'App' });
    await expect(key('app')).rejects.toMatchObject({
      hint: `Name one of them: ${here}, ${id}. See: dewpoint projects list`,
    });
    expect(await key('./app')).toBe(here);
  });

  it('is refused with the names that there are', async () => {
    await expect(key('taxes')).rejects.toMatchObject({
      message: 'The project taxes was not found: no folder here and no project of yours has that name.',
      hint: 'You have none yet. Make one: dewpoint projects new NAME',
    });
    await core.client.projects.create({ name: 'Tax 2026' });
    await core.client.projects.create({ name: 'Garden' });
    await expect(key('taxes')).rejects.toMatchObject({ hint: "Yours: 'Tax 2026', Garden" });
  });
});

describe('a run in a project by its name', () => {
  it('gets the instructions of that project, is listed and counted there, and no other is', async () => {
    const { id } = await core.client.projects.create({ name: 'Tax 2026', instructions: 'Answer in German.' });
    await core.client.projects.create({ name: 'Garden', instructions: 'Answer in Latin.' });
    await asked('tax 2026', 'What is the capital of Peru?');
    const [session] = await core.client.sessions.list();
    expect(session).toMatchObject({ projectPath: null, project: `project:${id}` });
    const { state } = await core.client.sessions.show({ sessionId: session?.sessionId ?? '' });
    const { request } = await core.client.sessions.detail({
      sessionId: session?.sessionId ?? '',
      id: state.steps.at(-1)?.callId ?? '',
    });
    const system = request?.messages.find(({ role }) => role === 'system')?.text ?? '';
    expect(system).toContain('Answer in German.');
    expect(system).not.toContain('Latin');
    const { context, said } = commandContext(core);
    await listSessions(context, { project: 'Garden' });
    expect(said.out).toBe('');
    await listSessions(context, { project: 'Tax 2026' });
    expect(said.out).toContain('What is the capital of Peru?');
    const counted = commandContext(core);
    await costs(counted.context, { project: 'Tax 2026', json: true });
    expect(JSON.parse(counted.said.out)).toMatchObject({ total: { calls: 1 } });
  });

  it('is done by the assistant of the project, and refused where there is none of that name', async () => {
    await core.client.assistants.save({ name: 'teacher', text: 'Explain it.', replace: false });
    const { context } = commandContext(core);
    await projectPage(context, 'new', 'School', { assistant: 'teacher', mode: 'ask' });
    await asked('School', 'Make me a plan of Peru.');
    const [session] = await core.client.sessions.list();
    const { state } = await core.client.sessions.show({ sessionId: session?.sessionId ?? '' });
    expect(state.turns).toMatchObject([{ assistant: 'teacher' }]);
    expect(state.turns[0]?.mode).not.toBe('work');
    await core.client.assistants.save({ name: 'nobody', text: 'Say little.', replace: false });
    await projectPage(context, 'set', 'School', { assistant: 'nobody' });
    await core.client.assistants.remove({ name: 'nobody' });
    await expect(run(context, 'And of Chile?', { project: 'School' })).rejects.toThrow('nobody');
    expect(await core.client.sessions.list()).toHaveLength(1);
  });

  // Bug: a typing error was kept, and only the next session in the project reported it.
  it('refuses an assistant and a model that nobody has, names those there are, and makes no project', async () => {
    const { context } = commandContext(core);
    await expect(projectPage(context, 'new', 'Zoo', { assistant: 'nobody' })).rejects.toMatchObject({
      hint: expect.stringContaining('You have none yet.'),
    });
    await core.client.assistants.save({ name: 'teacher', text: 'Explain it.', replace: false });
    const refused = { message: 'The assistant "techer" was not found.', hint: 'Yours: teacher' };
    await expect(projectPage(context, 'new', 'Zoo', { assistant: 'techer' })).rejects.toMatchObject(refused);
    for (const args of [{ local: 'nonsense' }, { cloud: 'nobody/model' }])
      await expect(projectPage(context, 'new', 'Zoo', args)).rejects.toMatchObject({
        message: expect.stringMatching(/The (?:model nonsense|provider nobody) was not found\./u),
      });
    expect(await core.client.projects.records()).toEqual([]);
    await projectPage(context, 'new', 'Zoo', { assistant: 'teacher' });
    await expect(projectPage(context, 'set', 'Zoo', { assistant: 'techer' })).rejects.toMatchObject(refused);
    const [head] = await core.client.projects.records();
    // Other programs than the terminal ask the core itself.
    const change = { type: 'assistant', assistant: 'techer' } as const;
    await expect(core.client.projects.change({ project: head?.key ?? '', change })).rejects.toMatchObject({
      message: refused.message,
      data: { hint: refused.hint },
    });
    expect(await core.client.projects.records()).toMatchObject([{ name: 'Zoo', assistant: 'teacher' }]);
  });

  it('finds what the project knows, without a folder', async () => {
    const { context, said } = commandContext(core);
    await projectPage(context, 'new', 'School', {});
    const path = join(folder, 'here', 'handbook.md');
    await writeFile(path, 'The school opens at 07:45.');
    const wish = { folder: 'School', words: [path], args: {} };
    expect(await knowledge(context, { ...wish, action: 'add' })).toBe(0);
    await knowledge(context, { ...wish, words: [], action: 'list' });
    expect(said.out).toContain('handbook.md');
    const call = { name: 'search_documents', input: { words: 'When does the school open?' } };
    const replies = [{ toolCalls: [call] }, { text: 'At 07:45.' }];
    await core.client.settings.set({
      key: 'providers.finder',
      value: { kind: 'scripted', strategies: ['loop'], replies, where: 'local' },
    });
    await core.client.settings.set({ key: 'local', value: 'finder/script' });
    await asked('School', 'When does the school open?');
    const [session] = await core.client.sessions.list();
    const { state } = await core.client.sessions.show({ sessionId: session?.sessionId ?? '' });
    expect(state.toolCalls).toMatchObject([{ tool: 'search_documents', status: 'ok' }]);
    const { tools } = await core.client.sessions.detail({
      sessionId: session?.sessionId ?? '',
      id: state.toolCalls[0]?.toolCallId ?? '',
    });
    expect(tools[0]?.output).toContain('07:45');
  });

  it('notes what agents should know for that project alone', async () => {
    await core.client.projects.create({ name: 'Garden' });
    const { context, said } = commandContext(core);
    await memory(context, 'add', ['The soil is acid.'], { project: 'Garden' });
    expect(said.out).toContain('The soil is acid.');
    await core.client.projects.create({ name: 'Tax 2026' });
    const other = commandContext(core);
    await memory(other.context, 'list', [], { project: 'Tax 2026' });
    expect(other.said.out).toBe('');
  });

  it('says that the folder of the project is gone, and keeps nothing of the run', async () => {
    const path = join(folder, 'elsewhere', 'app');
    await core.client.projects.create({ name: 'Shop', folder: path });
    await rm(path, { recursive: true });
    const { context } = commandContext(core);
    await expect(run(context, 'What is this?', { project: 'Shop' })).rejects.toThrow(path);
    expect(await core.client.sessions.list()).toEqual([]);
  });
});

describe('a session', () => {
  it('moves into a project by its name and out of it, and stays when the project is deleted', async () => {
    const { id } = await core.client.projects.create({ name: 'Garden' });
    const { sessionId } = await core.client.sessions.create({ projectPath: null });
    const projectNow = async () => (await core.client.sessions.list())[0]?.project;
    const { context, said } = commandContext(core);
    expect(await moveTalks(context, ['last'], { project: 'garden' })).toBe(0);
    expect(said.err).toContain('1 session in the project Garden. What was said stays.');
    expect(await projectNow()).toBe(`project:${id}`);
    expect(await moveTalks(context, [sessionId], { project: 'none' })).toBe(0);
    expect(await projectNow()).toBeNull();
    await moveTalks(context, [sessionId], { project: id });
    expect(await projectPage(context, 'delete', 'Garden', { yes: true })).toBe(0);
    expect(said.err).toContain('Kept: 1 session, with all that it said.');
    expect(said.err).toContain(`dewpoint projects restore ${id}`);
    expect(await core.client.sessions.list()).toMatchObject([{ sessionId, project: null }]);
  });
});
