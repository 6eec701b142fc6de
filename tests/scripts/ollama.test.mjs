import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNeeds } from '../../scripts/setup/needs.mjs';
import { ensureOllama, ollamaPath } from '../../scripts/setup/ollama.mjs';

const before = process.env.DEWPOINT_CACHE;
let cache;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'dewpoint-cache-'));
  process.env.DEWPOINT_CACHE = cache;
});
afterEach(() => {
  if (before === undefined) delete process.env.DEWPOINT_CACHE;
  else process.env.DEWPOINT_CACHE = before;
  rmSync(cache, { recursive: true, force: true });
});

function keepServer() {
  mkdirSync(dirname(ollamaPath()), { recursive: true });
  writeFileSync(ollamaPath(), '');
}

/** What a suite that needs the server gets on a machine whose system may not be changed. */
const met = () => createNeeds({ node24: process.execPath, mayChangeSystem: false, env: {} }).meet('ollama');

describe('the Ollama server of the tests', () => {
  it('is taken from the cache where it was built before', async () => {
    keepServer();
    expect(await ensureOllama({ allowed: false })).toEqual({ ok: true, path: ollamaPath() });
    expect(ollamaPath().startsWith(cache)).toBe(true);
    expect(await met()).toEqual({ ok: true, env: { DEWPOINT_TEST_OLLAMA: ollamaPath() } });
  });

  it('is not built without being asked for, and skips only its own tests', async () => {
    expect(await ensureOllama({ allowed: false })).toMatchObject({
      ok: false,
      message: expect.stringContaining('--setup-system'),
    });
    expect(await met()).toEqual({ ok: true });
  });
});
