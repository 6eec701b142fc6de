import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/shared/errors.ts';
import { createLogFile, readLogFile } from '../../../src/main/lib/files/log-file.ts';
import { createLog } from '../../../src/main/lib/log.ts';

let folder = '';
let lines: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-log-'));
  lines = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const logTo = (clean: (text: string) => string = String, now = () => 0): ReturnType<typeof createLog> =>
  createLog({ now, from: 'test 1', clean, write: (line) => lines.push(line) });

describe('a line of the log', () => {
  it('has time, level, source and text, and stays one line', () => {
    logTo().error('two\nlines \u001b[2J');
    expect(lines).toEqual([String.raw`1970-01-01T00:00:00.000Z error [test 1] two\nlines ?[2J`]);
  });

  it('is cleaned of secrets, and is not written if that fails', () => {
    logTo((text) => text.replaceAll('hunter2', '…')).warn('key hunter2', new Error('hunter2 is wrong'));
    logTo(() => {
      throw new Error('no cleaning');
    }).warn('key hunter2');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hunter2');
  });

  it('takes over no content from an error and no arguments of a program', () => {
    const prompt = 'Dear Ada, the salary list of March is attached';
    const parsed = attempt(() => JSON.parse(`${prompt} {`));
    const shaped = attempt(() => z.object({ text: z.literal('x') }).parse({ text: prompt, [prompt]: 1 }));
    const program = Object.assign(new Error(`Command failed: git commit -m ${prompt}`), { cmd: 'git', code: 1 });
    const quoted = new AppError('bad-input', `The text "${prompt.repeat(3)}" does not fit.`);
    for (const error of [parsed, shaped, program, quoted, prompt, { text: prompt }]) logTo().warn('failed', error);
    expect(lines).toHaveLength(6);
    expect(lines.join('\n')).not.toContain('salary');
  });

  it('has the code, the place in the program and the cause', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:11434'), { code: 'ECONNREFUSED' });
    logTo().warn('no model', new Error('fetch failed', { cause }));
    expect(lines[0]).toMatch(/no model: Error: fetch failed \(.*log\.test\.ts:\d+:\d+\); cause: Error ECONNREFUSED: /u);
  });

  it('is left out when a fault repeats endlessly, so that its beginning is kept', () => {
    let time = 0;
    const log = logTo(String, () => time);
    for (let count = 0; count < 1_000; count += 1) log.warn(`again ${count}`);
    time = 61_000;
    log.warn('a minute later');
    expect(lines).toHaveLength(202);
    expect(lines.slice(-2)).toEqual([expect.stringContaining('left out'), expect.stringContaining('a minute later')]);
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('the files of the log', () => {
  it('are limited in number, and hold the newest lines', async () => {
    const write = createLogFile({ folder: join(folder, 'logs'), fileBytes: 1_000, files: 3 });
    for (let count = 0; count < 500; count += 1) {
      write(`line ${String(count).padStart(4, '0')} ${'x'.repeat(40)}`);
      // Files set aside within one millisecond have one name.
      if (count % 20 === 0) await new Promise((done) => setTimeout(done, 2));
    }
    const names = await readdir(join(folder, 'logs'));
    expect(names.length).toBeLessThanOrEqual(3);
    const text = await readLogFile(join(folder, 'logs'), 10_000);
    expect(text.trimEnd().split('\n').at(-1)).toContain('line 0499');
    expect(text.length).toBeLessThanOrEqual(3_200);
  });

  it('keep whole lines while several processes write and rotate them', async () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../../src/main/lib/files/log-file.ts')).href;
    const program = `
      const { createLogFile } = await import(${JSON.stringify(module)});
      const write = createLogFile({ folder: process.argv[1], fileBytes: 100_000, files: 50 });
      for (let count = 0; count < 1000; count += 1) write('<' + process.argv[2] + ' ' + count + ' ' + 'x'.repeat(count % 300) + '>');`;
    const children = ['a', 'b', 'c', 'd'].map((name) =>
      spawn(process.execPath, ['--input-type=module', '-e', program, '--', folder, name], { stdio: 'inherit' }),
    );
    await Promise.all(children.map((child) => once(child, 'exit')));
    const names = await readdir(folder);
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const all = texts.join('').trimEnd().split('\n');
    expect(all.filter((line) => !/^<[a-d] \d+ x*>$/u.test(line))).toEqual([]);
    expect(all).toHaveLength(4_000);
  });

  it('never stop the work when they cannot be written', async () => {
    createLogFile({ folder: join(folder, 'gone', 'logs') })('lost');
    await writeFile(join(folder, 'file'), '');
    createLogFile({ folder: join(folder, 'file') })('lost');
    await mkdir(join(folder, 'linked'));
    await symlink(join(folder, 'file'), join(folder, 'linked', 'dewpoint.log'));
    createLogFile({ folder: join(folder, 'linked') })('lost');
    await mkdir(join(folder, 'folder', 'dewpoint.log'), { recursive: true });
    createLogFile({ folder: join(folder, 'folder') })('lost');
    expect((await stat(join(folder, 'file'))).size).toBe(0);
    expect(await readdir(folder)).not.toContain('gone');
  });

  it('are empty before the first line, and are cut at whole lines', async () => {
    expect(await readLogFile(join(folder, 'logs'), 100)).toBe('');
    const write = createLogFile({ folder });
    for (const line of ['first', 'second', 'third']) write(line);
    expect(await readLogFile(folder, 100)).toBe('first\nsecond\nthird\n');
    expect(await readLogFile(folder, 15)).toBe('second\nthird\n');
  });
});
