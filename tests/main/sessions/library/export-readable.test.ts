import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportReadable, readableMessages } from '../../../../src/main/sessions/library/readable/export-readable.ts';

const line = `/home/ada/work ${'x'.repeat(2_000)}\n`;
const state = { title: 'T', changes: [], restores: [] };
const blobs = { get: async () => null };

async function* said(text: string) {
  const asked = { type: 'user-message-added', messageId: 'm', text, queued: false } as const;
  yield { ...asked, v: 2, seq: 1, at: 0 } as const;
}

/** Catches: a path that is cut in two messages, so that a browser's boundary hides neither half. */
it('a long text comes to a page in messages that end with a line', async () => {
  const talk = { form: 'markdown', state, events: said(line.repeat(2_000)), blobs, branches: 1 } as const;
  const texts: string[] = [];
  for await (const piece of readableMessages(talk, new AbortController().signal))
    if (piece.type === 'text') texts.push(piece.text);
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) {
    expect(text.endsWith('\n')).toBe(true);
    expect(text.length).toBeLessThan(1.1 * 1024 * 1024);
  }
  expect(texts.join('').split('/home/ada/work').length).toBe(2_001);
});

/** Catches: a download that differs from the file, or one whose end a page cannot tell from a lost connection. */
it('a page gets the same text as a file, and its end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-readable-'));
  const { signal } = new AbortController();
  for (const form of ['page', 'markdown', 'calls'] as const) {
    const talk = { form, state, blobs, branches: 2 };
    const path = join(folder, form);
    await exportReadable(path, { ...talk, events: said('Hello') }, signal);
    const pieces = [];
    for await (const piece of readableMessages({ ...talk, events: said('Hello') }, signal)) pieces.push(piece);
    const texts = pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
    expect(texts.join('')).toBe(await readFile(path, 'utf8'));
    expect(texts.join('').includes('Hello')).toBe(form !== 'calls');
    expect(pieces.at(-1)).toEqual({ type: 'end', missing: 0, branches: 2 });
  }
  await rm(folder, { recursive: true, force: true });
});
