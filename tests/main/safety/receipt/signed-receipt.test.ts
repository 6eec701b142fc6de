import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '../../../../src/shared/safety/receipt.ts';
import { signReceipt } from '../../../../src/main/safety/receipt/sign-receipt.ts';

const run = promisify(execFile);
let folder: string;
let script: string;

const made: Receipt = {
  format: 'dewpoint receipt 1',
  about: { type: 'month', month: '2026-11' },
  madeAt: '2026-11-30T00:00:00.000Z',
  timeZone: 'UTC',
  version: '1.0.0',
  verdict: 'nothing',
  out: 0,
  in: 0,
  rows: [],
  shared: [],
  kept: [{ kind: 'fence', count: 1, bytes: null, what: 'Grüße, 你好\nhere', sessionId: 'one' }],
  uncounted: [],
  here: { out: 1, in: 2 },
  record: { since: 1, isPartial: false, unreadable: 0, unreadLogs: 0, unreadRequests: 0 },
};

/** A key store that keeps what is put into it. */
function store() {
  const kept = new Map<string, string>();
  return {
    kept,
    read: async (name: string) => kept.get(name) ?? null,
    set: async (name: string, value: string) => void kept.set(name, value),
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-signed-'));
  const guide = await readFile(resolve(import.meta.dirname, '../../../../docs/guide/receipt.md'), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/u.exec(guide) ?? [];
  script = join(folder, 'check-receipt.mjs');
  await writeFile(script, code);
  expect(code.trim().split('\n')).toHaveLength(10);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function check(text: string): Promise<{ readonly code: number; readonly said: string }> {
  const file = join(folder, 'one.receipt');
  await writeFile(file, text);
  try {
    return { code: 0, said: (await run(process.execPath, [script, file])).stdout };
  } catch (error) {
    return { code: Number(Reflect.get(Object(error), 'code')), said: String(Reflect.get(Object(error), 'stdout')) };
  }
}

describe('a signed receipt', () => {
  it('is found unchanged by the script of the guide, with the fingerprint of its key', async () => {
    const { text, fingerprint } = await signReceipt(made, store());
    expect(await check(text)).toEqual({ code: 0, said: `Unchanged since this key signed it: ${fingerprint}\n` });
  });

  it('is refused after any change of its text, its key or its fingerprint', async () => {
    const { text } = await signReceipt(made, store());
    const other = await signReceipt(made, store());
    const [said = '', proof = ''] = text.split('\n');
    const stranger: unknown = JSON.parse(other.text.split('\n')[1] ?? '');
    const own: unknown = JSON.parse(proof);
    const swapped = JSON.stringify({ ...Object(own), publicKey: Reflect.get(Object(stranger), 'publicKey') });
    const renamed = JSON.stringify({ ...Object(own), fingerprint: 'f'.repeat(64) });
    for (const bad of [
      `${said.replace('"out":0', '"out":1')}\n${proof}\n`,
      `${said}\n${swapped}\n`,
      `${said}\n${renamed}\n`,
    ])
      expect((await check(bad)).code).toBe(1);
  });

  it('is signed with one key, which only the key store holds', async () => {
    const keys = store();
    const first = await signReceipt(made, keys);
    const second = await signReceipt(made, keys);
    const [secret = ''] = keys.kept.values();
    expect(first.fingerprint).toBe(second.fingerprint);
    expect(keys.kept.size).toBe(1);
    expect(first.text).not.toContain(secret);
  });

  it('is not made when the key store does not open, and its key is not replaced', async () => {
    const keys = store();
    const shut = { ...keys, read: () => Promise.reject(new Error('The key store is locked.')) };
    await expect(signReceipt(made, shut)).rejects.toThrow('The key store is locked.');
    expect(keys.kept.size).toBe(0);
  });
});
