import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHiddenValues } from '../../../src/main/safety/hidden-values.ts';
import { createSessionFences } from '../../../src/main/safety/session-fences.ts';
import { createLookAtFiles } from '../../../src/main/safety/file-look.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { fencesSchema, globMatcher } from '../../../src/shared/safety/fences.ts';
import { secretKind } from '../../../src/main/sandbox/workspace/secret-files.ts';
import type { AgentKit, KitOptions } from '../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../fakes/agent-kit.ts';
import { expectReplay } from '../../fakes/replay-kit.ts';

/** Catches: a fenced file that is free under another name. Its lines are short, so that no copy of it is recognized. */

const options = { ...turnOptions, mode: 'auto', policy: 'cloud', cloud: 'sky/model', strategy: 'loop' } as const;
const price = { input: 1, output: 2, source: 'test', date: '2026-11-21' };
const done = call('task_complete', { summary: 'ok' });
const short = 'Code word: Heron\nDay: Monday\n';
let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-fenced-')));
  await mkdir(join(root, 'plans', 'deep'), { recursive: true });
  await writeFile(join(root, 'plans', 'merger.md'), short);
  await writeFile(join(root, 'plans', 'deep', 'more.md'), short);
  await writeFile(join(root, 'a.py'), 'x = 1\n');
});
afterEach(() => rm(root, { recursive: true, force: true }));

function kitOf(replies: NonNullable<KitOptions['replies']>, rules: readonly object[]): AgentKit {
  const made = createAgentKit({ cloud: { price }, replies });
  const sandbox = createReadOnlySandbox({ workspacePath: root, because: null });
  const lookAtFiles = createLookAtFiles(root);
  const fences = createSessionFences({
    settings: () => fencesSchema.parse({ rules }),
    projectPath: root,
    projectFiles: sandbox.files,
    lookAtFiles,
    read: (fromSeq) => kit.journal.read(fromSeq),
    isSecretFile: (path) => secretKind(path) === 'secret',
    hideKnown: (text) => text,
    hidden: createHiddenValues(),
  });
  const kit: AgentKit = createAgentKit({
    cloud: { price },
    replies,
    dependencies: { sandbox, project: { lookAtFiles }, fences },
  });
  return { ...made, ...kit };
}

const stays = [{ paths: ['plans/**'], verdict: 'local-only' }];

describe('a fenced file under another name or path', () => {
  const ways: Readonly<Record<string, readonly [prepare: () => Promise<unknown>, path: string]>> = {
    'a link to it': [() => symlink('plans/merger.md', join(root, 'free.md')), 'free.md'],
    'a link of the sandbox to it': [() => symlink('/workspace/plans/merger.md', join(root, 'free.md')), 'free.md'],
    'a link to its folder': [() => symlink('plans', join(root, 'open')), 'open/merger.md'],
    'a link to a link': [
      async () => {
        await symlink('plans/deep', join(root, 'one'));
        await symlink('./one/../merger.md', join(root, 'two'));
      },
      'two',
    ],
    'another hard link': [() => link(join(root, 'plans', 'merger.md'), join(root, 'free.md')), 'free.md'],
    'a link that goes up by its words': [
      async () => {
        await mkdir(join(root, 'far', 'below'), { recursive: true });
        await symlink('far/below', join(root, 'one'));
        await symlink('one/../plans/merger.md', join(root, 'two'));
      },
      'two',
    ],
    'a way around': [async () => undefined, 'a/../plans/./merger.md'],
  };
  it.each(Object.entries(ways))('stays on this machine: %s', async (_way, [prepare, path]) => {
    await prepare();
    const kit = kitOf([call('read_file', { path }), done], stays);
    const end = await kit.runner.send('What is in it?', options);
    const [read] = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'read_file');
    expect(JSON.stringify(kit.requests)).not.toContain('Heron');
    // Where the sandbox does not follow the link, nothing was read.
    if (read?.status === 'ok') expect(end.reason).toBe('fenced');
    await expectReplay(kit);
  });

  it('stays on this machine when a search finds it through a link', async () => {
    await symlink('plans', join(root, 'open'));
    const kit = kitOf([call('search', { pattern: 'Code word', path: 'open' }), done], stays);
    await kit.runner.send('What is the code word?', options);
    expect(JSON.stringify(kit.requests)).not.toContain('Heron');
  });

  it('is recognized in every spelling that a file system takes for the same name', () => {
    const decomposed = 'Bu\u0308ro/Pla\u0308ne.md';
    expect(globMatcher('büro/**')(decomposed)).toBe(true);
    expect(globMatcher(decomposed)('BÜRO/pläne.MD')).toBe(true);
    expect(globMatcher('straße')('STRASSE')).toBe(true);
    expect(globMatcher('plans')('plan\u017F')).toBe(true);
  });
});

describe('a limit on how much is compared with fenced files', () => {
  const rows: Readonly<Record<string, () => Promise<unknown>>> = {
    'the 501st file': async () => {
      for (let at = 0; at < 501; at += 1) await writeFile(join(root, 'plans', `${at}.md`), `page ${at}\n`);
      await writeFile(join(root, 'plans', 'z.md'), 'The heron flies to the northern lake at dawn.\n');
    },
    'a file over a megabyte': () =>
      writeFile(
        join(root, 'plans', 'z.md'),
        `${'so it is\n'.repeat(130_000)}The heron flies to the northern lake at dawn.\n`,
      ),
    'a file over every limit': () =>
      writeFile(
        join(root, 'plans', 'z.md'),
        `${'so it is\n'.repeat(600_000)}The heron flies to the northern lake at dawn.\n`,
      ),
  };
  it.each(Object.entries(rows))('lets no copy out: %s', async (_row, prepare) => {
    await prepare();
    const kit = kitOf([done], stays);
    const end = await kit.runner.send('Is "The heron flies to the northern lake at dawn." good?', options);
    expect(end.reason).toBe('fenced');
    expect(kit.requests).toEqual([]);
  });
});
