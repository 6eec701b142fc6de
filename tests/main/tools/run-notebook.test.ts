import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'run_notebook');

const stream = (text: string) => ({ output_type: 'stream', name: 'stdout', text: [text] });
const notebook = (text: string, outputs: readonly unknown[]) =>
  JSON.stringify(
    {
      cells: [
        { cell_type: 'markdown', metadata: {}, source: [`Caf${text}`] },
        { cell_type: 'code', execution_count: outputs.length, metadata: {}, outputs, source: ['1'] },
      ],
      metadata: {},
    },
    null,
    1,
  );

/** Runs a notebook whose code cell prints a text. Returns what is said, and the file afterwards. */
async function run(bytes: Uint8Array, printed: string): Promise<{ readonly said: string; readonly bytes: Buffer }> {
  const frames = [
    { type: 'start', by: 'python', kernel: 'Python 3' },
    { type: 'cell', cell: 2, count: 1, outputs: [stream(printed)], failed: false, stopped: false },
    { type: 'end' },
  ];
  const sandbox = createMemorySandbox({
    files: { 'a.ipynb': bytes },
    exec: () => ({ stdout: frames.map((frame) => `${JSON.stringify(frame)}\n`).join('') }),
  });
  const context = {
    sandbox,
    signal: new AbortController().signal,
    emit: () => undefined,
    files: { lastRead: () => undefined, noteRead: () => undefined },
    facts: { commandTimeoutMs: 60_000 },
  } as unknown as ToolContext;
  const result = await tool?.run({ path: 'a.ipynb' }, context);
  const read = await sandbox.files.read('a.ipynb', { maxBytes: 100_000 }, context.signal);
  if (!read.ok) throw new Error(read.error.message);
  return { said: result?.output ?? '', bytes: Buffer.from(read.value.bytes) };
}

describe('the run_notebook tool', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const plain = (text: string) => Buffer.from(text);
  const marked = (text: string) => Buffer.from(`\ufeff${text}`);
  const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const forms: readonly (readonly [form: string, write: (text: string) => Buffer, output: string, letter: string])[] = [
    ['UTF-8', plain, '日\n', 'é'],
    ['UTF-8 with a byte order mark', marked, '日\n', 'é'],
    ['ASCII with a byte order mark', marked, 'b\n', 'e'],
    ['UTF-16', wide, 'b\n', 'é'],
    ['Latin-1', latin, 'b\n', 'é'],
  ];
  // Catches: a mark was lost, and a byte of a Markdown cell that is not UTF-8 became U+FFFD in the file.
  it.each(forms)('writes outputs into a file in %s and changes no other byte', async (_form, write, output, letter) => {
    const { said, bytes } = await run(write(notebook(letter, [])), output);
    expect(said).toContain('Ran 1 of 1 code cells');
    expect(bytes.toString('latin1')).toBe(write(notebook(letter, [stream(output)])).toString('latin1'));
  });

  it('writes letters that an older encoding has not as escapes', async () => {
    const { said, bytes } = await run(latin(notebook('é', [])), '日ü\n');
    expect(said).toContain('日ü');
    expect(bytes.toString('latin1')).toContain('Café');
    expect(JSON.parse(bytes.toString('latin1'))).toMatchObject({ cells: [{}, { outputs: [stream('日ü\n')] }] });
    expect(bytes.toString('latin1')).toContain(String.raw`\u65e5\u00fc`);
  });

  it('runs nothing of a file that is no text', async () => {
    const broken = Buffer.concat([Buffer.from(notebook('e', [])), Buffer.from([0, 0xff, 0])]);
    const { said, bytes } = await run(broken, 'b\n');
    expect(said).toContain('is not a notebook that can be run. Nothing was run.');
    expect(bytes.equals(broken)).toBe(true);
  });
});
