import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFenceMemory } from '../../../src/main/safety/fence-memory.ts';
import type { OtherSession } from '../../../src/main/safety/fence-memory.ts';
import { createLookAtFiles } from '../../../src/main/safety/file-look.ts';
import { createHiddenValues } from '../../../src/main/safety/hidden-values.ts';
import { createSessionFences } from '../../../src/main/safety/session-fences.ts';
import type { SessionFences } from '../../../src/main/safety/session-fences.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { fencesSchema } from '../../../src/shared/safety/fences.ts';
import type { AgentKit, KitOptions } from '../../fakes/agent-kit.ts';
import { call, createAgentKit, turnOptions } from '../../fakes/agent-kit.ts';

/** Catches: content that is free in the next session of a project, or once its file has another name. */

const never = new AbortController().signal;
const local = { ...turnOptions, mode: 'auto', strategy: 'loop' } as const;
const cloud = { ...local, policy: 'cloud', cloud: 'sky/model' } as const;
const price = { input: 1, output: 2, source: 'test', date: '2026-11-21' };
const done = call('task_complete', { summary: 'ok' });
const plan = 'Code word: Heron\nDay: Monday\n';
const stays = [{ paths: ['plans/**'], verdict: 'local-only' }];
let folder: string;
let root: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-memory-')));
  root = join(folder, 'project');
  await mkdir(join(root, 'plans'), { recursive: true });
  await writeFile(join(root, 'plans', 'merger.md'), plan);
  await writeFile(join(root, 'a.py'), 'x = 1\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Session {
  readonly kit: AgentKit;
  readonly fences: SessionFences;
}

interface Asked {
  readonly id: string;
  readonly rules?: readonly object[];
  readonly others?: readonly OtherSession[];
  readonly project?: string;
}

/** A session with a journal of its own. */
function sessionOf(
  replies: NonNullable<KitOptions['replies']>,
  { id, rules = stays, others = [], project = root }: Asked,
): Session {
  const sandbox = createReadOnlySandbox({ workspacePath: root, because: null });
  const lookAtFiles = createLookAtFiles(root);
  const fences = createSessionFences({
    settings: () => fencesSchema.parse({ rules }),
    projectPath: project,
    projectFiles: sandbox.files,
    lookAtFiles,
    sessionId: id,
    memory: createFenceMemory(join(folder, 'fences'), project, async () => others),
    read: (fromSeq) => kit.journal.read(fromSeq),
    isSecretFile: () => false,
    hideKnown: (text) => text,
    hidden: createHiddenValues(),
  });
  const files = { 'plans/merger.md': plan, 'a.py': 'x = 1\n' };
  // What a session writes is in memory. The test puts it on disk.
  const kit = createAgentKit({
    cloud: { price },
    replies,
    sandbox: { files },
    dependencies: { ...(id === 'first' ? {} : { sandbox }), project: { lookAtFiles }, fences },
  });
  return { kit, fences };
}

/** A local model reads a fenced file and writes a summary of it in its own words. */
async function summarize(id: string): Promise<Session> {
  const read = call('read_file', { path: 'plans/merger.md' });
  const write = call('write_file', { path: 'summary.md', content: 'A bird\nEarly in the week\n' });
  const session = sessionOf([read, write, done], { id });
  await session.kit.runner.send('Sum up the plan in summary.md.', local);
  await writeFile(join(root, 'summary.md'), 'A bird\nEarly in the week\n');
  return session;
}

async function reads(path: string, asked: Partial<Asked> = {}): Promise<string> {
  const { kit } = sessionOf([call('read_file', { path }), done], { id: 'later', ...asked });
  const end = await kit.runner.send('What is in it?', cloud);
  return `${end.reason} ${kit.requests.length}`;
}

const kept = 'fenced 1';
const free = 'answered 2';

describe('the first session of a project', () => {
  it("stops a person's own copy of a fenced file, even if its lines are short", async () => {
    const codes = 'a = 1\nb = 22\nc = 333\n';
    await writeFile(join(root, 'plans', 'codes.txt'), codes);
    await writeFile(join(root, 'free.txt'), codes);
    await writeFile(join(root, 'other.txt'), codes.replace('333', '334'));
    await writeFile(join(root, 'loud.txt'), plan.toUpperCase().replaceAll('\n', '\r\n'));
    expect(await reads('free.txt')).toBe(kept);
    expect(await reads('loud.txt')).toBe(kept);
    expect(await reads('other.txt')).toBe(free);
  });
});

describe('the next session of a project', () => {
  it('fences what a local model made of a fenced file', async () => {
    const { fences } = await summarize('first');
    await fences.remember?.(never);
    expect(await reads('summary.md')).toBe(kept);
    expect(await reads('a.py')).toBe(free);
    // Nothing of the content is in the memory.
    const [name = ''] = await readdir(join(folder, 'fences'));
    expect(await readFile(join(folder, 'fences', name), 'utf8')).not.toMatch(/Heron|bird/u);
  });

  it('reads the log of a session that ended before it could tell', async () => {
    const { kit } = await summarize('first');
    const other: OtherSession = { sessionId: 'first', lastAt: 5, read: () => kit.journal.read(1) };
    expect(await reads('summary.md', { others: [other] })).toBe(kept);
    // It is read once.
    const again: OtherSession = { ...other, read: () => expect.fail('The log was read again.') };
    expect(await reads('summary.md', { others: [again] })).toBe(kept);
  });

  const ways: Readonly<Record<string, () => Promise<string>>> = {
    'a summary that was renamed': async () => {
      await rename(join(root, 'summary.md'), join(root, 'readme.md'));
      return 'readme.md';
    },
    'a fenced file that was moved': async () => {
      await rename(join(root, 'plans'), join(root, 'notes'));
      return 'notes/merger.md';
    },
    'a fenced file that was moved and then changed': async () => {
      await rename(join(root, 'plans'), join(root, 'notes'));
      await writeFile(join(root, 'notes', 'merger.md'), 'Day: Tuesday\n');
      return 'notes/merger.md';
    },
    'a copy of a fenced file that is gone': async () => {
      await copyFile(join(root, 'plans', 'merger.md'), join(root, 'free.md'));
      await rm(join(root, 'plans'), { recursive: true });
      return 'free.md';
    },
  };
  it.each(Object.entries(ways))('still fences %s', async (_way, move) => {
    const { fences } = await summarize('first');
    await fences.remember?.(never);
    const path = await move();
    expect(await reads(path)).toBe(kept);
    const second = sessionOf([done], { id: 'second' });
    await second.fences.remember?.(never);
    expect(await reads(path)).toBe(kept);
  });

  it('stops a message with a sentence of the summary only while a rule fences the file', async () => {
    const words = 'Two birds of the northern lake become one flock in early spring.';
    const write = call('write_file', { path: 'summary.md', content: words });
    const first = sessionOf([call('read_file', { path: 'plans/merger.md' }), write, done], { id: 'first' });
    await first.kit.runner.send('Sum up the plan.', local);
    await first.fences.remember?.(never);
    const asks = async (rules: readonly object[]): Promise<string> =>
      (await sessionOf([{ text: 'Two birds.' }], { id: 'later', rules }).kit.runner.send(`What is "${words}"?`, cloud))
        .reason;
    expect(await asks(stays)).toBe('fenced');
    expect(await asks([])).not.toBe('fenced');
    expect(await asks([{ paths: ['plans/**'], verdict: 'redact' }])).not.toBe('fenced');
  });

  it('asks when a part of the memory is damaged', async () => {
    const { fences } = await summarize('first');
    await fences.remember?.(never);
    const [name = ''] = await readdir(join(folder, 'fences'));
    await writeFile(join(folder, 'fences', name), '{"type":"pa\n');
    expect(await reads('a.py')).toBe('fenced 0');
  });
});
