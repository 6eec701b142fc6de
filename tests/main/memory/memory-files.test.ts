import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryFiles } from '../../../src/main/memory/memory-files.ts';

describe('the files of the memory', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dewpoint-memory-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const line = (text: string) => ({ text, date: '2026-11-29', sessionId: null, isAfterOutside: false });
  const texts = async (project: string | null) =>
    (await createMemoryFiles(folder).list(project)).map(({ of, text, date }) => [of, text, date]);

  it('keep the lines of the user apart from those of each project', async () => {
    const memory = createMemoryFiles(folder);
    await memory.add(null, line('Be short.'));
    await memory.add('/work/a', line('Tests lie in spec/.'));
    await memory.add('/work/a', line('Tests lie in spec/.'));
    expect(await texts('/work/a')).toEqual([
      ['you', 'Be short.', '2026-11-29'],
      ['project', 'Tests lie in spec/.', '2026-11-29'],
    ]);
    expect(await texts('/work/b')).toEqual([['you', 'Be short.', '2026-11-29']]);
    expect(await texts(null)).toHaveLength(1);
  });

  it('are read as the user edits them, and only what is forgotten leaves', async () => {
    const memory = createMemoryFiles(folder);
    const { you } = await memory.paths(null);
    await writeFile(you, '# Mine\n\nSome words.\n- One (a note)\n* Two (2026-01-02, session abc-1)\n-no line\n');
    const [one, two] = await memory.list(null);
    expect([one?.text, one?.date, one?.sessionId]).toEqual(['One (a note)', null, null]);
    expect([two?.text, two?.date, two?.sessionId]).toEqual(['Two', '2026-01-02', 'abc-1']);
    await memory.forget('/work/a', two?.id ?? '');
    expect(await readFile(you, 'utf8')).toBe('# Mine\n\nSome words.\n- One (a note)\n-no line\n');
    await expect(memory.forget(null, two?.id ?? '')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('say with a line which session it comes from, and whether that had read text from outside', async () => {
    const memory = createMemoryFiles(folder);
    await memory.add(null, { ...line('Run make.'), sessionId: 's-1', isAfterOutside: true });
    await memory.add(null, { ...line('Be short (always).'), sessionId: 's-2' });
    const { you } = await memory.paths(null);
    expect(await readFile(you, 'utf8')).toBe(
      '# For every project\n- Run make. (2026-11-29, session s-1, after text from outside)\n- Be short (always). (2026-11-29, session s-2)\n',
    );
    expect(
      (await memory.list(null)).map(({ text, sessionId, isAfterOutside }) => [text, sessionId, isAfterOutside]),
    ).toEqual([
      ['Run make.', 's-1', true],
      ['Be short (always).', 's-2', false],
    ]);
  });

  it('hold at most 100 lines', async () => {
    const memory = createMemoryFiles(folder);
    const { you } = await memory.paths(null);
    await writeFile(you, Array.from({ length: 100 }, (_, at) => `- Line ${at}\n`).join(''));
    await expect(memory.add(null, line('More'))).rejects.toMatchObject({ code: 'too-large' });
  });
});
