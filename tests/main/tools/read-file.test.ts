import { describe, expect, it } from 'vitest';
import type { DocumentText } from '@shared/documents/document-text.ts';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';
import { hideSecrets } from '../../../src/main/lib/secrets/secret-patterns.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'read_file');

async function read(text: string, from: number, to: number): Promise<string> {
  const context = {
    sandbox: createMemorySandbox({ files: { 'a.py': Buffer.from(text) } }),
    signal: new AbortController().signal,
    files: { noteRead: () => undefined },
    facts: { shownBytes: 32_768 },
  } as unknown as ToolContext;
  return (await tool?.run({ path: 'a.py', from, to }, context))?.output ?? '';
}

// Catches: a range inside a key had nothing in it that tells a key from other letters, and went to a cloud model.
it('the read_file tool shows no part of a private key that cannot be recognized alone', async () => {
  const body = Array.from({ length: 20 }, (_, at) => `${'MIIEpAIBAAKCAQEA7Zk3'.repeat(3)}${at}xQ`);
  const kind = 'RSA PRIVATE KEY';
  const lines = ['import os', `KEY = """-----BEGIN ${kind}-----`, ...body, `-----END ${kind}-----"""`, 'name = "x"'];
  for (const [from, to] of [
    [3, 3],
    [4, 9],
    [1, 5],
    [22, 24],
  ] as const) {
    const shown = hideSecrets(await read(lines.join('\n'), from, to)).text;
    expect([from, shown.includes('MIIE')]).toEqual([from, false]);
  }
  expect(await read(lines.join('\n'), 24, 24)).toBe('[Showing lines 24-24 of 24]\n24: name = "x"');
});

describe('the read_file tool on a document', () => {
  const pdf = Buffer.from('%PDF-1.7\nwhatever is in it');

  async function readDocument(
    name: string,
    bytes: Buffer,
    found: DocumentText,
    range: { readonly from?: number; readonly to?: number } = {},
  ): Promise<{ readonly status: string; readonly output: string; readonly noted: readonly string[] }> {
    const noted: string[] = [];
    const reader = builtInTools(discoverTools(), { now: () => 0, readDocument: async () => found }).find(
      (one) => one.name === 'read_file',
    );
    const context = {
      sandbox: createMemorySandbox({ files: { [name]: bytes } }),
      signal: new AbortController().signal,
      files: { noteRead: (path: string) => noted.push(path) },
      facts: { shownBytes: 32_768 },
    } as unknown as ToolContext;
    const result = await reader?.run({ path: name, ...range }, context);
    return { status: result?.status ?? '', output: result?.output ?? '', noted };
  }

  it('shows the text with a mark before each page, and says where each begins', async () => {
    const found = { ok: true, pages: 3, texts: ['Invoice 4711\nTotal 5', '', 'Terms'] } as const;
    const shown = await readDocument('a.pdf', pdf, found);
    expect(shown.output.split('\n')).toEqual([
      '[a.pdf is a PDF of 3 pages. These are lines of its text. Pages begin: 1 at line 1, 2 at line 5, 3 at line 8. Page 2 has no text. A model that sees pictures could read it with show_page.]',
      '1: [Page 1 of 3]',
      '2: Invoice 4711',
      '3: Total 5',
      '4: ',
      '5: [Page 2 of 3]',
      '6: (This page has no text. It may be a picture.)',
      '7: ',
      '8: [Page 3 of 3]',
      '9: Terms',
    ]);
    expect(shown.noted).toEqual(['a.pdf']);
    const part = await readDocument('a.pdf', pdf, found, { from: 8, to: 9 });
    expect(part.output).toContain('[Showing lines 8-9 of 9]\n8: [Page 3 of 3]\n9: Terms');
    const start = { ok: true, pages: 3, texts: ['Invoice 4711'] } as const;
    const late = await readDocument('a.pdf', pdf, start, { from: 8, to: 9 });
    expect(late.output).toContain(
      'there is no line 8.\n[a.pdf is a PDF of 3 pages, of which only the beginning is here.',
    );
  });

  it('names the cells of a notebook, and shows one that is none as its text', async () => {
    const cells = { ok: true, pages: 2, texts: ['# Plan', 'a = 1'], names: ['markdown', 'code'] } as const;
    const shown = await readDocument('a.ipynb', Buffer.from('{}'), cells);
    expect(shown.output).toContain('1: [Cell 1 of 2: markdown]\n2: # Plan\n3: \n4: [Cell 2 of 2: code]\n5: a = 1');
    const broken = await readDocument('a.ipynb', Buffer.from('{"x": 1}'), { ok: false, why: 'broken' });
    expect(broken.output).toBe('1: {"x": 1}');
  });

  it('says why there is no text, and leaves other binary files as they are', async () => {
    const locked = await readDocument('a.pdf', pdf, { ok: false, why: 'encrypted' });
    expect(locked).toMatchObject({ status: 'error', output: 'a.pdf is protected by a password.', noted: [] });
    const other = await readDocument('a.bin', Buffer.from([0, 1, 2]), { ok: false, why: 'broken' });
    expect(other).toMatchObject({ status: 'error', output: 'a.bin is a binary file.' });
  });
});
