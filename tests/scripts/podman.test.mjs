import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNeeds } from '../../scripts/setup/needs.mjs';

// A machine with only a shell and no installed packages.
let folder = '';
const before = process.env.PATH;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'podman-'));
  symlinkSync('/bin/sh', join(folder, 'sh'));
  writeFileSync(join(folder, 'dpkg-query'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(folder, 'dpkg-query'), 0o755);
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = before;
  rmSync(folder, { recursive: true, force: true });
});

const meet = (env) => createNeeds({ node24: process.execPath, mayChangeSystem: false, env }).meet('podman');

describe.runIf(process.platform === 'linux')('Podman for the tests', () => {
  it('skips only its own tests if it is missing, and is required in a strict run', async () => {
    expect(await meet({})).toEqual({ ok: true });
    expect(await meet({ DEWPOINT_TEST_STRICT: '1' })).toEqual({
      ok: false,
      message: expect.stringContaining('sudo apt-get install -y --no-install-recommends podman'),
    });
  });

  it('is used when it is installed', async () => {
    symlinkSync('/bin/sh', join(folder, 'podman'));
    expect(await meet({ DEWPOINT_TEST_STRICT: '1' })).toEqual({ ok: true });
  });
});
