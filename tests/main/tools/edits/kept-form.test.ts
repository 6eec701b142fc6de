import { createTwoFilesPatch } from 'diff';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../bench/lib/seeded.ts';
import { fileText } from '../../../../src/main/lib/files/file-text.ts';
import { sha256Of } from '../../../../src/main/lib/sha256.ts';
import type { ToolContext, ToolResult } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const words: Readonly<Record<string, readonly string[]>> = {
  'utf-8': ['größe', 'naïve', '中文', 'x = 1', 'print()'],
  'utf-16le': ['größe', '中文', 'かな', 'x = 1'],
  'utf-16be': ['größe', '中文', 'かな', 'x = 1'],
  'windows-1252': ['größe', 'déjà vu', 'straße', 'x = 1'],
  'iso-8859-1': ['größe', 'déjà vu', 'straße', 'x = 1'],
  'windows-1251': ['привет', 'файл', 'x = 1'],
  'koi8-r': ['привет', 'файл', 'x = 1'],
  shift_jis: ['これは', 'ソ表能', 'カタカナ', 'x = 1'],
  'euc-jp': ['これは', '表能', 'カタカナ', 'x = 1'],
  'euc-kr': ['이것은', '파일', '가격', 'x = 1'],
  gbk: ['这是', '中文', '价格', 'x = 1'],
  big5: ['這是', '檔案', '價格', 'x = 1'],
};

const ends = ['\n', '\r\n', '\r', 'mixed'] as const;

interface Made {
  readonly lines: readonly string[];
  readonly ends: readonly string[];
  readonly mark: string;
  readonly label: string;
}

function makeFile(random: () => number, label: string, end: (typeof ends)[number], mark: string): Made {
  const from = words[label] ?? [];
  const count = 6 + Math.floor(random() * 12);
  // A number makes each line findable, and keeps a change in one of them from fitting another.
  const lines = Array.from({ length: count }, (_, at) => `L${at} ${from[Math.floor(random() * from.length)]} ${at}`);
  const each: string[] = lines.map(() => (end === 'mixed' ? (random() < 0.5 ? '\n' : '\r\n') : end));
  if (random() < 0.3) each[count - 1] = '';
  return { lines, ends: each, mark, label };
}

const bytesOf = ({ lines, ends: own, mark, label }: Made): Buffer =>
  iconv.encode(mark + lines.map((line, at) => line + own[at]).join(''), label, { addBOM: false });

const plain = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function contextOf(bytes: Buffer) {
  const sandbox = createMemorySandbox({ files: { 'a.txt': bytes } });
  const seen = new Map<string, string>();
  const context = {
    sandbox,
    signal: new AbortController().signal,
    facts: { findTests: async () => null, shownBytes: 32_768, commandTimeoutMs: 1_000, maxWriteBytes: 1_000_000 },
    files: {
      lastRead: (path: string) => seen.get(path),
      noteRead: (path: string, sha256: string) => void seen.set(path, sha256),
      change: async (files: readonly { readonly path: string; readonly bytes: Uint8Array | null }[]) => {
        for (const { path, bytes: after } of files) {
          if (after === null) continue;
          sandbox.put(path, after);
          seen.set(path, sha256Of(after));
        }
        return null;
      },
    },
  } as unknown as ToolContext;
  return { context, now: () => Buffer.from(sandbox.contents.get('a.txt')?.bytes ?? []) };
}

type Way = 'edit' | 'patch' | 'write';

const tools = builtInTools(discoverTools(), { now: () => 0 });

async function run(name: string, input: unknown, context: ToolContext): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool.run(input, context);
}

/** Changes one line in one way, as a model does that was shown the file. */
async function change(
  way: Way,
  context: ToolContext,
  { lines, ends: own }: Made,
  next: readonly string[],
): Promise<ToolResult> {
  await run('read_file', { path: 'a.txt' }, context);
  const at = lines.findIndex((line, index) => line !== next[index]);
  if (way === 'edit') return run('edit_file', { path: 'a.txt', old: lines[at], new: next[at] }, context);
  if (way === 'write') return run('write_file', { path: 'a.txt', content: plain(next) }, context);
  const whole = (text: string): string => (own.at(-1) === '' ? text.slice(0, -1) : text);
  const patch = createTwoFilesPatch('a.txt', 'a.txt', whole(plain(lines)), whole(plain(next)));
  return run('apply_patch', { patch }, context);
}

const edits = 2_000;

describe('a file in any encoding with any line endings', () => {
  it(`keeps every byte outside of ${edits} random edits, patches and whole writes`, async () => {
    const random = seeded(12);
    const labels = Object.keys(words);
    const refused = new Map<string, number>();
    let changedOutside = 0;
    for (let round = 0; round < edits; round += 1) {
      const label = labels[round % labels.length] ?? '';
      const mark = label.startsWith('utf-16') || (label === 'utf-8' && random() < 0.5) ? '\uFEFF' : '';
      const made = makeFile(random, label, ends[Math.floor(random() * ends.length)] ?? '\n', mark);
      const way = (['edit', 'patch', 'write'] as const)[Math.floor(random() * 3)] ?? 'edit';
      const at = Math.floor(random() * made.lines.length);
      const fresh = `L${at} new ${random() < 0.5 ? 'ascii' : (words[label]?.[0] ?? '')} ${round}`;
      const shown = fileText(bytesOf(made));
      // A model writes what it was shown; in a file of an unknown encoding that may be other letters than the real ones.
      const asShown = (shown?.text ?? '').split(/\r?\n/u).slice(0, made.lines.length);
      const isGuessed = asShown.some((line, index) => line !== made.lines[index]);
      const seen: Made = { ...made, lines: asShown };
      const nextShown = seen.lines.with(at, isGuessed ? `L${at} new ascii ${round}` : fresh);
      const nextReal = made.lines.with(at, isGuessed ? `L${at} new ascii ${round}` : fresh);
      const { context, now } = contextOf(bytesOf(made));
      const result = await change(way, context, seen, nextShown);
      const wanted = result.status === 'ok' ? bytesOf({ ...made, lines: nextReal }) : bytesOf(made);
      if (result.status !== 'ok') refused.set(result.output, (refused.get(result.output) ?? 0) + 1);
      if (Buffer.compare(now(), wanted) !== 0) {
        changedOutside += 1;
        expect({ label, way, ends: made.ends, got: now().toString('latin1') }).toEqual({
          label,
          way,
          ends: made.ends,
          got: wanted.toString('latin1'),
        });
      }
    }
    // Letters that an older encoding may not have, and nothing else.
    const reasons = [...refused.keys()].filter((reason) => !reason.includes('is in it nowhere yet'));
    expect({ changedOutside, reasons }).toEqual({ changedOutside: 0, reasons: [] });
  });

  it('refuses letters that its encoding lacks, and is unchanged', async () => {
    const bytes = iconv.encode('名前 = "値段"\nこれは日本語です。\n', 'shift_jis');
    const { context, now } = contextOf(bytes);
    await run('read_file', { path: 'a.txt' }, context);
    const calls: readonly (readonly [string, object])[] = [
      ['write_file', { path: 'a.txt', content: 'größe\n' }],
      ['edit_file', { path: 'a.txt', old: '名前', new: 'größe' }],
      [
        'apply_patch',
        { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-名前 = "値段"\n+größe\n これは日本語です。\n' },
      ],
    ];
    for (const [name, input] of calls) {
      expect(await run(name, input, context)).toMatchObject({
        status: 'error',
        output: expect.stringContaining('it is not UTF-8 (probably Shift-JIS)'),
      });
      expect(Buffer.compare(now(), bytes)).toBe(0);
    }
  });
});
