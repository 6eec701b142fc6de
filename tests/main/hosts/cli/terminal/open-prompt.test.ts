import { createInterface } from 'node:readline/promises';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPrompt } from '../../../../../src/main/hosts/cli/terminal/open-prompt.ts';
import { createStatusLine } from '../../../../../src/main/hosts/cli/terminal/status-line.ts';
import type { Terminal } from '../../../../../src/main/hosts/text/terminal.ts';
import { safeWriting } from '../../../../../src/main/hosts/text/terminal.ts';

const columns = 20;

/** A screen with 20 columns that understands as much of a terminal as these tests need. */
function createScreen() {
  let rows: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    if (column === columns) {
      row += 1;
      column = 0;
    }
    while (rows.length <= row) rows.push('');
    const line = (rows[row] ?? '').padEnd(column);
    rows[row] = `${line.slice(0, column)}${character}${line.slice(column + 1)}`;
    column += 1;
  };
  const obey = (count: number, letter: string): void => {
    if (letter === 'A') row -= Math.max(1, count);
    if (letter === 'G') column = Math.max(1, count) - 1;
    if (letter === 'K') rows[row] = count === 2 ? '' : (rows[row] ?? '').slice(0, column);
    if (letter === 'J') rows = [...rows.slice(0, row), (rows[row] ?? '').slice(0, column)];
  };
  return {
    write: (text: string): void => {
      // eslint-disable-next-line no-control-regex -- what a terminal obeys
      for (const match of text.matchAll(/\u001B\[(\d*)([A-Zm])|[^]/gu)) {
        const [whole, count, letter] = [match[0], match[1], match[2]];
        if (letter !== undefined) obey(Number(count), letter);
        else if (whole === '\r') column = 0;
        else if (whole === '\n') {
          row += 1;
          column = 0;
          if (rows.length <= row) rows.push('');
        } else put(whole);
      }
    },
    shown: () => rows.map((line) => line.trimEnd()).join('\n'),
  };
}

function open() {
  const screen = createScreen();
  const input = new PassThrough();
  const output = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        screen.write(chunk.toString());
        done();
      },
    }),
    { columns },
  );
  const terminal: Terminal = {
    ...safeWriting({ out: screen.write, err: screen.write }, false),
    isLive: true,
    isInteractive: true,
    columns,
  };
  const prompt = openPrompt(terminal, { input, output });
  const lines: string[] = [];
  prompt.reader.on('line', (line) => void lines.push(line));
  return { ...prompt, input, screen, lines, type: (text: string) => void input.write(text) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the text typed while the program writes', () => {
  it('stays whole below the output, and is sent as typed', async () => {
    const { terminal, screen, lines, show, type } = open();
    show();
    terminal.err('begun\n');
    type('also');
    await settled();
    terminal.err(terminal.colors.dim('step 1\n'));
    terminal.err('step 2\n');
    expect(screen.shown()).toBe('begun\nstep 1\nstep 2\n> also');
    type(' this');
    await settled();
    expect(screen.shown()).toBe('begun\nstep 1\nstep 2\n> also this');
    type('\r');
    await settled();
    expect(lines).toEqual(['also this']);
  });

  it('stays below a result, also while the status is shown', async () => {
    const { terminal, screen, show, type } = open();
    show();
    type('a-line-that-takes-two-of-them');
    await settled();
    terminal.out('All done.\n');
    expect(screen.shown().split('\n')[0]).toBe('All done.');
    expect(screen.shown().split('\n').slice(1).join('')).toBe('> a-line-that-takes-two-of-them');
    type('\r');
    await settled();
    terminal.clear();
    terminal.err('step 1');
    terminal.err('$0\n');
    expect(screen.shown().endsWith('of-them\n$0\n')).toBe(true);
  });

  // Catches: the values of a form of a tool server, which were also sent to the model as messages.
  it('goes to another reader while that one has the keyboard', async () => {
    const { input, without, lines, type } = open();
    const answer = await without(async () => {
      const other = createInterface({ input, output: new PassThrough(), terminal: true });
      const asked = other.question('Who? ');
      type('Anna\r');
      const said = await asked;
      other.close();
      return said;
    });
    expect([answer, lines]).toEqual(['Anna', []]);
    type('hello\r');
    await settled();
    expect(lines).toEqual(['hello']);
  });

  it('may be longer than a line of the terminal', async () => {
    const { terminal, screen, show, type } = open();
    show();
    type('a-sentence-that-is-longer-than-one-of-its-lines');
    await settled();
    terminal.err('step 1\n');
    terminal.err('step 2\n');
    expect(screen.shown().split('\n').slice(0, 2)).toEqual(['step 1', 'step 2']);
    expect(screen.shown().split('\n').slice(2).join('')).toBe('> a-sentence-that-is-longer-than-one-of-its-lines');
  });

  it('has a prompt again only when asked for, and leaves no empty one', () => {
    const { terminal, screen, show } = open();
    show();
    terminal.err('step 1\n');
    show();
    terminal.out('$0\n');
    expect(screen.shown()).toBe('step 1\n$0\n');
    show();
    expect(screen.shown()).toBe('step 1\n$0\n>');
  });

  it('is not drawn over another program that has the keyboard', async () => {
    const { terminal, screen, type, without, show } = open();
    show();
    type('half');
    await settled();
    await without(async () => {
      terminal.err('step 1\n');
      show();
    });
    expect(screen.shown().endsWith('step 1\n')).toBe(true);
  });
});

describe('the status line', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('gives way to what is typed, and comes back after it', async () => {
    const { terminal, screen, show, type } = open();
    show();
    const status = createStatusLine(terminal, () => Date.now());
    status.begin('c', 'step 1');
    vi.advanceTimersByTime(200);
    expect(screen.shown()).toContain('step 1');
    type('wait');
    await settled();
    vi.advanceTimersByTime(500);
    expect(screen.shown()).toBe('> wait');
    type('\r');
    await settled();
    vi.advanceTimersByTime(500);
    expect(screen.shown()).toMatch(/^> wait\n. step 1 +1\.\d s/u);
    status.end();
  });
});
