import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolStatus } from '../../src/shared/events/tool-events.ts';
import { readCallDetail } from '../../src/main/sessions/history/read-call-detail.ts';
import type { AgentKit } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { expectReplay } from '../fakes/replay-kit.ts';
import type { DockerUnderTest } from './docker-kit.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';

const loop = { ...turnOptions, mode: 'auto', strategy: 'loop' } as const;

function notebookOf(sources: readonly string[], metadata: object = { kernelspec: { name: 'python3' } }): string {
  const cells = sources.map((source, index) => ({
    cell_type: source.startsWith('#md') ? 'markdown' : 'code',
    ...(source.startsWith('#md')
      ? {}
      : { execution_count: 7, outputs: [{ name: 'stdout', output_type: 'stream', text: ['old\n'] }] }),
    id: `c${index}`,
    metadata: {},
    source: source.split(/(?<=\n)/u),
  }));
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

const picture = `
import struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
class Plot:
    def __init__(self, width=4, height=3):
        rows = b''.join(b'\\0' + b'\\xff\\0\\0' * width for _ in range(height))
        self.png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
    def _repr_png_(self):
        return self.png
class Drawing:
    def _repr_svg_(self):
        return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
class Table:
    def _repr_html_(self):
        return '<table><tr><td>1</td></tr></table>'
    def __repr__(self):
        return 'a table'
`;

describe.skipIf(isWithoutEngine)('a notebook in the sandbox', () => {
  let session: DockerUnderTest;
  beforeAll(async () => void (session = await startSandbox()), 180_000);
  afterAll(() => session?.close());

  const path = 'work/a.ipynb';
  const cellsNow = async (): Promise<readonly Record<string, unknown>[]> =>
    JSON.parse((await session.text(path)) ?? '{}').cells;

  async function run(file: string, input: object = {}): Promise<AgentKit> {
    await session.put(path, file);
    const kit = createAgentKit({
      replies: [call('run_notebook', { path, ...input }), call('task_complete', { summary: 'ok' })],
      dependencies: { sandbox: session.sandbox, project: { findParts: async () => ['notebooks'] } },
    });
    await kit.runner.send('Run the notebook.', loop);
    return kit;
  }

  function resultOf(kit: AgentKit): { readonly status: ToolStatus; readonly output: string } {
    const ended = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_notebook');
    if (ended === undefined) throw new Error('The notebook was not run.');
    return ended;
  }

  it('is run in order, and its outputs stand in the file, in the log and in the window', async () => {
    const before = notebookOf([
      '#md Title',
      `${picture}print('one')\n1 + 1`,
      'Plot()',
      'Drawing()',
      'Table()',
      'x = 5;',
    ]);
    const kit = await run(before);
    const result = resultOf(kit);
    expect(result).toMatchObject({ status: 'ok' });
    expect(result.output).toContain('Ran 5 of 5 code cells of work/a.ipynb with Python 3');
    expect(result.output).toContain('[Output of cell 2 of 6]\none\n2');
    expect(result.output).toContain('(A picture, image/png, 4 × 3.)');
    expect(result.output).toContain('a table');
    const [title, first, plot, drawing, table, last] = await cellsNow();
    expect(title).not.toHaveProperty('outputs');
    expect(first).toMatchObject({
      execution_count: 1,
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['one\n'] },
        { output_type: 'execute_result', execution_count: 1, data: { 'text/plain': ['2'] }, metadata: {} },
      ],
    });
    expect(plot?.['outputs']).toMatchObject([{ data: { 'image/png': expect.stringMatching(/^iVBOR/u) } }]);
    expect(drawing?.['outputs']).toMatchObject([{ data: { 'image/svg+xml': [expect.stringContaining('<svg')] } }]);
    expect(table?.['outputs']).toMatchObject([{ data: { 'text/html': [expect.stringContaining('<table>')] } }]);
    expect(last).toMatchObject({ execution_count: 5, outputs: [] });

    const changes = ofType(kit.journal.events, 'file-changed').filter((one) => one.path === path);
    expect(changes).toMatchObject([{ by: 'model' }]);
    const { toolCallId = '', pictures } =
      ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_notebook') ?? {};
    expect(pictures).toMatchObject([{ kind: 'image', width: 4, height: 3 }]);
    expect(kit.journal.state().toolCalls.find((one) => one.toolCallId === toolCallId)?.pictures).toHaveLength(2);
    const events = (async function* () {
      yield* kit.journal.events;
    })();
    const detail = await readCallDetail(events, toolCallId, { get: (ref) => kit.journal.getBlob(ref) });
    const shown = detail?.tools[0]?.pictures?.map(({ mediaType }) => mediaType);
    expect(shown?.toSorted()).toEqual(['image/png', 'image/svg+xml']);
    await expectReplay(kit);
  });

  it('is run up to a cell, and keeps the outputs of those after it', async () => {
    const kit = await run(notebookOf(['a = 1\na', 'a + 1', 'a + 2']), { to: 2 });
    expect(resultOf(kit).output).toContain('Ran 2 of 2 code cells');
    const cells = await cellsNow();
    expect(cells[1]).toMatchObject({ execution_count: 2, outputs: [{ data: { 'text/plain': ['2'] } }] });
    expect(cells[2]).toMatchObject({ execution_count: 7, outputs: [{ text: ['old\n'] }] });
  });

  it('stops at an error, with its lines and no line of the program that runs it', async () => {
    const kit = await run(notebookOf(['def f():\n  return 1 / 0', 'print("before")\nf()', 'print("after")']));
    const { status, output } = resultOf(kit);
    expect(status).toBe('error');
    expect(output).toContain('Cell 2 failed. 1 after it did not run and keep their outputs.');
    expect(output).toContain('ZeroDivisionError: division by zero');
    expect(output).toContain('File "<cell 1>", line 2, in f');
    expect(output).not.toContain('run_code');
    const cells = await cellsNow();
    expect(cells[1]?.['outputs']).toMatchObject([
      { output_type: 'stream', text: ['before\n'] },
      { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' },
    ]);
    expect(cells[2]).toMatchObject({ outputs: [{ text: ['old\n'] }] });
  });

  it('of another language, or that is none, says so and is left as it is', async () => {
    const other = notebookOf(['x <- 1'], { kernelspec: { name: 'ir', language: 'R' } });
    expect(resultOf(await run(other)).output).toBe(
      `${path} is a notebook of R, with the kernel "ir". The sandbox has no such kernel, so nothing was run. Only Python runs without one.`,
    );
    expect(await session.text(path)).toBe(other);
    expect(resultOf(await run('{"cells": 1}')).output).toContain('is not a notebook that can be run');
    expect(resultOf(await run(notebookOf(['#md x']))).output).toContain('has no code to run there');
    expect(resultOf(await run(notebookOf(['1']), { to: 9 })).output).toContain('there is no cell 9');
  });

  const ends: readonly (readonly [what: string, cell: string, said: string, status: ToolStatus])[] = [
    ['loops', 'while True: pass', 'Cell 2 was stopped after 4 s.', 'timed-out'],
    [
      'cannot be stopped',
      'import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass',
      'Cell 2 was killed after 4 s.',
      'timed-out',
    ],
    ['ends Python', 'import os\nos._exit(3)', 'Cell 2 ended Python with code 3.', 'error'],
    ['exits', 'exit()', 'Cell 2 failed.', 'error'],
    [
      'raises an error that cannot be read',
      'class E(Exception):\n  def __str__(self): raise SystemExit(2)\nraise E()',
      'Cell 2 failed.',
      'error',
    ],
    ['asks', 'input("name?")', 'Nobody can answer input() while cells run.', 'error'],
    ['uses a magic', '%load x.py', '%load needs IPython, which is not in the sandbox.', 'error'],
    [
      'forges',
      'import os\nfor fd in range(3, 20):\n  try: os.write(fd, b"x" * 20_000_000)\n  except OSError: pass',
      'sent more than 16 MB, and was ended',
      'error',
    ],
    ['forks', 'import os\nwhile True: os.fork()', 'Cell 2', 'error'],
  ];
  it.each(ends)(
    'with a cell that %s keeps what was done before it',
    async (what, cell, said, status) => {
      const kit = await run(notebookOf(['print("done")', cell, 'print("never")']), { timeoutSeconds: 4 });
      const result = resultOf(kit);
      expect(result.output).toContain(said);
      expect([status, 'timed-out']).toContain(result.status);
      const cells = await cellsNow();
      expect(cells, what).toHaveLength(3);
      expect(cells[0]?.['outputs']).toMatchObject([{ text: ['done\n'] }]);
      expect(cells[2]?.['outputs']).toMatchObject([{ text: ['old\n'] }]);
    },
    60_000,
  );

  /** Catches: an output that JSON has no form for, which ends the run, so that no later cell runs. */
  it('keeps what it can of outputs that no notebook holds, and goes on with the next cell', async () => {
    const bundle =
      'class B:\n  def _repr_mimebundle_(self): return {"image/png": b"\\x89PNG", "text/x": object(), 3: "x", "text/plain": "b"}\nB()';
    const text =
      'class S(str):\n  def __len__(self): raise ValueError()\n  def __getitem__(self, key): return object()\nclass R:\n  def __repr__(self): return S("r")\nprint(S("said"))\nR()';
    const number = 'class N:\n  def _repr_html_(self): return float("nan")\n  def __repr__(self): return "n"\nN()';
    const kit = await run(
      notebookOf([
        bundle,
        'display({"image/png": b"\\x89PNG", "text/plain": {1}}, raw=True)',
        'display({"text/plain": {1}}, raw=True)',
        'from unittest.mock import MagicMock\nMagicMock(name="made")',
        text,
        number,
        'for at in range(300_000): display(at)',
        'print("last")',
      ]),
      { timeoutSeconds: 60 },
    );
    expect(resultOf(kit)).toMatchObject({ status: 'ok' });
    expect(resultOf(kit).output).toContain('Ran 8 of 8 code cells');
    const cells = await cellsNow();
    const dataOf = (at: number): unknown =>
      [cells[at]?.['outputs']].flat().map((one) => Reflect.get(Object(one), 'data'));
    expect(dataOf(0)).toEqual([{ 'image/png': 'iVBORw==', 'text/plain': ['b'] }]);
    expect(dataOf(1)).toEqual([{ 'image/png': 'iVBORw==' }]);
    expect(dataOf(2)).toEqual([{ 'text/plain': ['(An output in no form that a notebook holds.)'] }]);
    expect(dataOf(3)).toEqual([{ 'text/plain': [expect.stringContaining("MagicMock name='made'")] }]);
    expect(cells[4]?.['outputs']).toMatchObject([{ text: ['said\n'] }, { data: { 'text/plain': ['r'] } }]);
    expect(dataOf(5)).toEqual([{ 'text/plain': ['n'] }]);
    expect(cells[6]?.['outputs']).toHaveLength(1_001);
    expect(cells[7]?.['outputs']).toMatchObject([{ text: ['last\n'] }]);
  }, 120_000);

  /** Catches: each character on its way cost 33 bytes, and each letter 6, so that the run was ended at 16 MB. */
  it('goes on after many small writes and many letters, and says which output is left out', async () => {
    const dots = 'for _ in range(100_000): print(".", end="")';
    const letters = 'print("\u6f22" * 100_000)';
    const sources = [...Array.from({ length: 6 }, () => dots), ...Array.from({ length: 60 }, () => letters)];
    const kit = await run(notebookOf([...sources, 'print("last")']), { timeoutSeconds: 120 });
    expect(resultOf(kit)).toMatchObject({ status: 'ok' });
    expect(resultOf(kit).output).toContain('Ran 67 of 67 code cells');
    const cells = await cellsNow();
    expect(cells[6]?.['outputs']).toMatchObject([
      { text: [`${'\u6f22'.repeat(100_000)}\n`, '… (1 more characters were left out)\n'] },
    ]);
    expect(cells[65]?.['outputs']).toMatchObject([
      { text: [expect.stringContaining('too large for the notebook: 1 of its outputs')] },
    ]);
    expect(cells[66]?.['outputs']).toMatchObject([{ text: ['last\n'] }]);
  }, 180_000);

  it('runs the code of a magic that needs no IPython, without its options, and what other processes print', async () => {
    const child = 'import os\nif os.fork() == 0:\n  print("child")\n  os._exit(0)\nos.wait();';
    const json =
      'class J:\n  def _repr_mimebundle_(self): return {"application/json": {"a": float("nan")}}\n  def __repr__(self): return "j"\nJ()';
    const magics = [
      '%%capture out\nprint(1)',
      '%timeit -n 10 -r3 print(2)',
      '%%timeit -qn 5\nprint(3)',
      '%time print(4)',
    ];
    const kit = await run(notebookOf([...magics, child, json]));
    expect(resultOf(kit)).toMatchObject({ status: 'ok' });
    const outputs = (await cellsNow()).map((cell) => cell['outputs']);
    expect(outputs).toMatchObject([
      ...['1\n', '2\n', '3\n', '4\n', 'child\n'].map((text) => [{ name: 'stdout', text: [text] }]),
      [{ data: { 'text/plain': ['j'] } }],
    ]);
    expect(JSON.stringify(outputs)).not.toContain('application/json');
  });

  it('with a flood or a huge picture gets the beginning, and what was left out is said', async () => {
    const flood = 'for _ in range(300_000): print("x" * 100)';
    const past = 'import os\nos.system("head -c 3000000 /dev/zero | tr \'\\\\0\' y");';
    const huge =
      'class Huge:\n  def _repr_png_(self): return b"\\x89PNG" + bytes(300_000_000)\n  def __repr__(self): return "huge"\nHuge()';
    const kit = await run(notebookOf([flood, past, huge]), { timeoutSeconds: 60 });
    const result = resultOf(kit);
    expect(result).toMatchObject({ status: 'ok' });
    expect(result.output).toContain('more characters of this output');
    expect(result.output).toContain('Left out, because it is too large for the notebook: image/png of 400.0 MB.');
    // All of it counts: 300,000 lines of 101 letters, and 3 million letters.
    expect((await cellsNow()).slice(0, 2).map((cell) => JSON.stringify(cell['outputs']))).toEqual([
      expect.stringContaining('… (30200000 more characters were left out)'),
      expect.stringContaining('… (2900000 more characters were left out)'),
    ]);
    expect((await session.text(path))?.length).toBeLessThan(400_000);
    expect((await cellsNow())[2]?.['outputs']).toMatchObject([
      { data: { 'text/plain': ['huge'] } },
      { name: 'stderr' },
    ]);
  }, 120_000);

  it('that a person changes or a cell deletes while it runs is not written over', async () => {
    const changed = await run(notebookOf(['open("a.ipynb", "a").write("\\n")\nprint("seen")']));
    expect(resultOf(changed).output).toContain('was changed while it ran, and that version is kept');
    expect(resultOf(changed).output).toContain('seen');
    expect(await session.text(path)).toContain('old');
    const deleted = await run(notebookOf(['import os\nos.remove("a.ipynb")\nprint("seen")']));
    expect(resultOf(deleted).output).toContain('was deleted while it ran');
    expect(await session.text(path)).toBeNull();
    const [change] = ofType(deleted.journal.events, 'file-changed');
    expect(change).toMatchObject({ path, after: null, before: { kept: true } });
  });

  it('reads the files beside it, and reaches no network', async () => {
    await writeFile(join(session.workspace, 'work', 'data.csv'), 'a,b\n1,2\n');
    const net =
      'import socket\ntry:\n  socket.create_connection(("192.0.2.1", 80), 2)\nexcept OSError: print("no network")';
    const { output } = resultOf(await run(notebookOf(['print(open("data.csv").read())', net, '!ls *.csv'])));
    expect(output).toContain('a,b\n1,2');
    expect(output).toContain('no network');
    expect(output).toContain('data.csv');
  });
});
