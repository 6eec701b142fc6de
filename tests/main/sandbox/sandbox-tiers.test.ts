import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../src/shared/errors.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';
import { createSandboxFactory } from '../../../src/main/sandbox/sandbox-factory.ts';
import { chooseTier, tiersText } from '../../../src/main/sandbox/sandbox-tiers.ts';

const none = new AbortController().signal;

describe('the choice of a sandbox tier', () => {
  const missing = failure('missing-sandbox', 'No engine.', 'Get one.');

  it('is read-only without an engine only for a task without commands, with the reason', async () => {
    expect(await chooseTier({ wanted: 'container', needsExecute: true }, () => Promise.resolve(missing))).toEqual(
      missing,
    );
    expect(await chooseTier({ wanted: 'container', needsExecute: false }, () => Promise.resolve(missing))).toEqual({
      ok: true,
      value: { tier: 'read-only', because: missing.error },
    });
  });

  it('does not look for an engine when read-only was asked for', async () => {
    const look = () => Promise.reject(new Error('looked'));
    expect(await chooseTier({ wanted: 'read-only', needsExecute: true }, look)).toEqual({
      ok: true,
      value: { tier: 'read-only', because: null },
    });
  });

  it('is not made when the search for an engine was cancelled', async () => {
    const cancelled = failure('cancelled', 'It was cancelled.');
    expect(await chooseTier({ wanted: 'container', needsExecute: false }, () => Promise.resolve(cancelled))).toEqual(
      cancelled,
    );
  });
});

describe('the sandbox tiers of a machine', () => {
  const rootful = { rootless: false, remapsUsers: false, desktop: null };
  it.each([
    ['no engine', null, /^read-only\./, /container engine/],
    ['an engine of root', rootful, /^container, read-only\./, /rootless/],
    ['a rootless engine', { ...rootful, rootless: true }, /^container, read-only\./, null],
  ] as const)('are listed with what would make a better one available: %s', (_what, engine, text, hint) => {
    const said = tiersText(engine);
    expect(said.text).toMatch(text);
    expect(said.text).toContain('not built yet');
    if (hint === null) expect(said.hint).toBeNull();
    else expect(said.hint).toMatch(hint);
  });
});

describe('a sandbox on a machine without an engine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-factory-')));
    await mkdir(join(folder, 'project'));
    await writeFile(join(folder, 'project/a.txt'), 'text');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = (
    wish: { wanted: 'container' | 'read-only'; needsExecute: boolean },
    workspacePath = join(folder, 'project'),
  ) =>
    createSandboxFactory({
      homePath: join(folder, 'home'),
      resourcesPath: join(folder, 'resources'),
      imageScript: null,
      env: { DOCKER_HOST: `unix://${folder}/none.sock` },
      connection: () => ({ proxy: null, certificates: null }),
    })(
      {
        ...wish,
        sessionId: 's',
        workspacePath,
        settings: settingsSchema.parse({}).sandbox,
        onLost: () => undefined,
        onProgress: () => undefined,
      },
      none,
    );

  it('stops a task and says how to get an engine', async () => {
    expect(await start({ wanted: 'container', needsExecute: true })).toMatchObject({
      ok: false,
      error: { code: 'missing-sandbox', hint: expect.stringMatching(/Install Docker/) },
    });
  });

  it('answers a question read-only, and says so', async () => {
    const made = await start({ wanted: 'container', needsExecute: false });
    if (!made.ok) throw new Error(made.error.message);
    expect(made.value.description).toMatchObject({
      tier: 'read-only',
      warnings: [expect.stringMatching(/none was found at unix:/)],
    });
    expect((await made.value.files.read('a.txt', {}, none)).ok).toBe(true);
    expect(await made.value.exec({ command: 'true', timeoutMs: 1000 }, none)).toMatchObject({
      ok: false,
      error: { code: 'refused' },
    });
  });

  it('hides from reading what a container would hide', async () => {
    await writeFile(join(folder, 'project/.env'), 'KEY=hunter22');
    await writeFile(join(folder, 'project/server.pem'), '-----BEGIN PRIVATE KEY-----\nhunter22');
    const made = await start({ wanted: 'read-only', needsExecute: false });
    if (!made.ok) throw new Error(made.error.message);
    const { value: sandbox } = made;
    for (const path of ['.env', './.env', 'server.pem', `${sandbox.workspacePath}/.env`])
      expect(await sandbox.files.read(path, {}, none)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(await sandbox.files.search({ pattern: 'hunter22' }, none)).toMatchObject({ value: { matches: [] } });
    const listed = await sandbox.files.list('.', { all: true }, none);
    expect(listed.ok && listed.value.entries.map(({ path }) => path)).toEqual(['a.txt']);
    expect(sandbox.description.warnings).toEqual([expect.stringMatching(/they hold secrets.*\.env, server\.pem/)]);
  });

  it('refuses an invalid workspace before anything else', async () => {
    expect(await start({ wanted: 'container', needsExecute: true }, join(folder, 'nothing'))).toMatchObject({
      ok: false,
      error: { code: 'not-found' },
    });
    expect(await start({ wanted: 'read-only', needsExecute: false }, join(folder, 'project/a.txt'))).toMatchObject({
      ok: false,
      error: { code: 'bad-input' },
    });
  });
});
