import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { callFile, callFolder } from '../../../../src/shared/sandbox/call-file.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { findHiddenFiles } from '../../../../src/main/sandbox/workspace/find-hidden-files.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { lookForHidden } from '../../../../src/main/sandbox/read-only/hidden-from-reading.ts';
import { neverAborts } from '../../../../src/main/lib/async/abort.ts';
import type { ClientCore } from '../../../fakes/core-client.ts';
import { eventsOf, openClientCore } from '../../../fakes/core-client.ts';
import { ofType } from '../../../fakes/agent-kit.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

/** The lines come after the events, as soon as the disk takes them. */
const patience = { timeout: 30_000 };
let folder: string;
let masks: (readonly string[])[];
const cores: ClientCore[] = [];

const write = (content: string) => ({
  toolCalls: [
    { name: 'write_file', input: { path: `${content}.py`, content: `${content} = 1\n` } },
    { name: 'task_complete', input: { summary: 'It is there.' } },
  ],
});

async function open(replies: readonly object[]): Promise<ClientCore> {
  const core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async (request) => {
      masks.push(request.masks ?? []);
      return success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } }));
    },
  });
  cores.push(core);
  await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies } });
  return core;
}

async function work({ client }: ClientCore, sessionId: string, text: string): Promise<void> {
  const options = runOptionsSchema.parse({ local: 'script/script', mode: 'work', strategy: 'loop', approve: 'allow' });
  await client.sessions.send({ sessionId, text, options });
  await client.sessions.result({ sessionId });
}

/** A session in an empty folder, with its file of calls. */
async function begin({ client }: ClientCore) {
  const { sessionId } = await client.sessions.create({ projectPath: null });
  const path = (await client.sessions.show({ sessionId })).state.workspace?.path ?? '';
  await client.sessions.organize({ sessionIds: [sessionId], savesCalls: true });
  return { sessionId, workspace: path, file: join(path, callFile(sessionId)) };
}

async function exported({ client }: ClientCore, sessionId: string): Promise<string> {
  const path = join(folder, `${Math.random()}.jsonl`);
  await client.sessions.export({ sessionId, path });
  return readFile(path, 'utf8');
}

const warnings = async ({ client }: ClientCore, sessionId: string) =>
  ofType(await eventsOf(client, sessionId), 'notice-added').filter(({ code }) => code === 'calls-not-saved');

const warned = (core: ClientCore, sessionId: string) =>
  vi.waitFor(async () => {
    const [first] = await warnings(core, sessionId);
    if (first === undefined) throw new Error('nothing was said yet');
    return first.text;
  }, patience);

/** Waits until the file has the calls of the log. */
const complete = (core: ClientCore, sessionId: string, file: string) =>
  vi.waitFor(async () => {
    const text = await readFile(file, 'utf8');
    expect(text).toBe(await exported(core, sessionId));
    return text;
  }, patience);

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-calls-')));
  await mkdir(join(folder, 'home'));
  masks = [];
});

afterEach(async () => {
  for (const core of cores.splice(0)) await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('the calls that a session saves', () => {
  it('are the lines of an export, in a folder that git ignores and the sandbox hides', async () => {
    const core = await open([write('one'), write('two')]);
    const { sessionId, workspace, file } = await begin(core);
    await work(core, sessionId, 'Create one.py.');
    const first = await complete(core, sessionId, file);
    expect(first).toContain('"tool":"write_file","arguments":{"path":"one.py"');
    await work(core, sessionId, 'Create two.py.');
    const both = await complete(core, sessionId, file);
    expect(both.startsWith(first)).toBe(true);
    expect(both).toContain('two.py');
    expect(await readFile(join(workspace, callFolder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(masks.at(-1)).toContain(callFolder);
    expect(await warnings(core, sessionId)).toEqual([]);
    expect((await core.client.sessions.replay({ sessionId })).matched).toBe(true);
  });

  it('are not written without being asked for, nor after they were switched off', async () => {
    const core = await open([write('one'), write('two'), write('three')]);
    const { sessionId, file, workspace } = await begin(core);
    await core.client.sessions.organize({ sessionIds: [sessionId], savesCalls: false });
    await work(core, sessionId, 'Create one.py.');
    expect(await readdir(workspace)).toEqual([]);
    await core.client.sessions.organize({ sessionIds: [sessionId], savesCalls: true });
    await work(core, sessionId, 'Create two.py.');
    const before = await complete(core, sessionId, file);
    expect(before).toContain('one.py');
    await core.client.sessions.organize({ sessionIds: [sessionId], savesCalls: false });
    await work(core, sessionId, 'Create three.py.');
    expect(await exported(core, sessionId)).toContain('three.py');
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('go on after a restart, with what a stop had cut off', async () => {
    const core = await open([write('one')]);
    const { sessionId, file } = await begin(core);
    await work(core, sessionId, 'Create one.py.');
    const first = await complete(core, sessionId, file);
    await core.dispose();
    await truncate(file, Math.round(first.length / 2));
    const again = await open([write('two')]);
    await work(again, sessionId, 'Create two.py.');
    const both = await complete(again, sessionId, file);
    expect(both.startsWith(first)).toBe(true);
  });

  it('leave a file of somebody else as it is, and the session goes on', async () => {
    const core = await open([write('one'), write('two')]);
    const { sessionId, file, workspace } = await begin(core);
    await mkdir(join(workspace, callFolder), { recursive: true });
    await writeFile(file, 'mine\n');
    await work(core, sessionId, 'Create one.py.');
    expect(await warned(core, sessionId)).toContain('It was left as it is.');
    expect(await readFile(file, 'utf8')).toBe('mine\n');
    expect((await core.client.sessions.result({ sessionId })).status).toBe('done');
  });

  it('end where somebody wrote into the file meanwhile', async () => {
    const core = await open([write('one'), write('two')]);
    const { sessionId, file } = await begin(core);
    await work(core, sessionId, 'Create one.py.');
    const first = await complete(core, sessionId, file);
    await appendFile(file, 'mine\n');
    await work(core, sessionId, 'Create two.py.');
    expect(await warned(core, sessionId)).toContain('changed or made by somebody else');
    expect(await readFile(file, 'utf8')).toBe(`${first}mine\n`);
  });

  it.each(['.dewpoint', callFolder])('are written through no link: %s', async (name) => {
    const core = await open([write('one')]);
    const { sessionId, workspace } = await begin(core);
    const away = join(folder, 'away');
    await mkdir(away);
    if (name !== '.dewpoint') await mkdir(join(workspace, '.dewpoint'));
    await symlink(away, join(workspace, name));
    await work(core, sessionId, 'Create one.py.');
    expect(await warned(core, sessionId)).toContain('is a link');
    expect(await readdir(away)).toEqual([]);
  });

  it('are written into no other file by a link in their place', async () => {
    const core = await open([write('one')]);
    const { sessionId, workspace, file } = await begin(core);
    const away = join(folder, 'away.txt');
    await writeFile(away, '');
    await mkdir(join(workspace, callFolder), { recursive: true });
    await symlink(away, file);
    await work(core, sessionId, 'Create one.py.');
    expect(await warned(core, sessionId)).toContain('is a link');
    expect(await readFile(away, 'utf8')).toBe('');
  });
});

describe('the folder of saved calls', () => {
  it('is hidden from every session, without a word about rules', async () => {
    const project = join(folder, 'project');
    await mkdir(join(project, callFolder), { recursive: true });
    await writeFile(join(project, callFile('other')), '{}\n');
    await writeFile(join(project, 'a.py'), 'x = 1\n');
    const query = { workspacePath: project, settings: { unmask: [] }, homePath: join(folder, 'home'), masks: [] };
    const found = await findHiddenFiles(query, neverAborts);
    expect(found.masks.map(({ path }) => path)).toEqual([callFolder]);
    expect(found.warnings).toEqual([]);
    const { hidden } = await lookForHidden(query, neverAborts);
    const { files } = createReadOnlySandbox({
      workspacePath: project,
      because: null,
      hidden: async () => hidden,
    });
    expect((await files.read(callFile('other'), {}, neverAborts)).ok).toBe(false);
    const scan = await files.scan(neverAborts);
    expect(scan.ok && [...scan.value.files.keys()]).toEqual(['a.py']);
  });
});
