import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';

const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'search');

// Catches: a text that is found in UTF-8 alone, and a line that is shown with its letters lost.
it('the search tool finds and shows text in any encoding', async () => {
  const root = await mkdtemp(join(tmpdir(), 'dewpoint-search-'));
  try {
    const chinese = '这是一个中文的文件。\nname = "价格表"\n我们在这里写了一些字。\n';
    const files = { gbk: chinese, 'utf-16le': `\uFEFF${chinese}`, utf8: chinese, latin1: 'Die Größe.\nname\n' };
    for (const [label, text] of Object.entries(files))
      await writeFile(join(root, `${label}.txt`), iconv.encode(text, label, { addBOM: false }));
    const context = {
      sandbox: createReadOnlySandbox({ workspacePath: root, because: null }),
      signal: new AbortController().signal,
    } as unknown as ToolContext;
    const search = async (input: object): Promise<string> => (await tool?.run(input, context))?.output ?? '';
    const lines = ['gbk', 'utf-16le', 'utf8'].map((name) => `${name}.txt\n  2: name = "价格表"`);
    const found = ['3 matches in 3 files:', ...lines].join('\n');
    expect(await search({ pattern: '价格' })).toBe(found);
    expect(await search({ pattern: '格+表"$' })).toBe(found);
    // No regular expression, so it is plain text.
    expect(await search({ pattern: '(价格' })).toMatch(/^No match/);
    expect(await search({ pattern: 'GRÖSSE|größe', ignoreCase: true })).toBe(
      '1 match in 1 file:\nlatin1.txt\n  1: Die Größe.',
    );
    const around = chinese.trimEnd().split('\n');
    const marked = around.map((line, at) => `  ${at + 1}${at === 1 ? ':' : '-'} ${line}`);
    expect(await search({ pattern: 'name', path: 'gbk.txt', context: 1 })).toBe(
      ['1 match in 1 file:', 'gbk.txt', ...marked].join('\n'),
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
