import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256Of } from '../../../../src/main/lib/sha256.ts';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import type { NetworkRequest } from '../../../../src/main/sandbox/sandbox.ts';
import { createOwnToolCommands } from '../../../../src/main/tools/own/commands.ts';
import { createOwnToolRecord } from '../../../../src/main/tools/own/own-tool-record.ts';
import { createOwnTools } from '../../../../src/main/tools/own/own-tools.ts';
import { success } from '../../../../src/shared/errors.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const python = (description: string, more = ''): string =>
  `tool = {"description": "${description}", ${more}}\ndef execute(arguments):\n    return 1\n`;

function scene() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-edit-')));
  const projectPath = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-edit-project-')));
  folders.push(home, projectPath);
  const ran: NetworkRequest[] = [];
  const record = createOwnToolRecord(join(home, 'own-tools.json'));
  const base = { home, record, loadSyntax, taken: () => new Map([['read_file', 'a tool of Dewpoint']]), off: () => [] };
  const tools = createOwnTools({
    ...base,
    projects: () => ({}),
    secret: async () => 'sw0rdfish',
    now: () => 1,
    runApart: async (_, request) => {
      ran.push(request);
      request.onOutput?.({ stream: 'stderr', bytes: Buffer.from('it says sw0rdfish\n') });
      const sizes = { stdoutBytes: 4, stderrBytes: 0, durationMs: 1 };
      return success({ outcome: 'exited', exitCode: 0, stdout: 'done', stderr: '', ...sizes });
    },
  });
  const commands = createOwnToolCommands({
    ...base,
    tools,
    templates: resolve('resources/tools'),
    now: () => 1,
    programsOf: async () => ({ projectPath: null, programs: [] }),
    writerToday: async () => ({ model: null, digest: null, app: '1.2.3' }),
    saveOff: async () => undefined,
    projects: () => ({}),
    saveProject: async () => undefined,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
  });
  const save = async (file: string, text: string, more: { projectPath?: string; replaces?: string } = {}) =>
    commands.save({ input: { file, text, ...more }, signal });
  return { home, projectPath, ran, commands, save };
}

describe('a tool that is saved in the window', () => {
  it('is a private plain file, and replaces only the file that was opened', async () => {
    const { home, save, commands } = scene();
    const path = join(home, 'tools', 'say.py');
    expect(await save('say.py', python('one'))).toMatchObject({ state: 'ready', name: 'say', description: 'one' });
    expect(readFileSync(path, 'utf8')).toBe(python('one'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(save('say.py', python('two'))).rejects.toMatchObject({ code: 'conflict' });
    const { sha256, text } = await commands.read({ input: { file: 'say.py' }, signal });
    expect(text).toBe(python('one'));
    chmodSync(path, 0o700);
    writeFileSync(path, python('other'));
    await expect(save('say.py', python('two'), { replaces: sha256 })).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(path, 'utf8')).toBe(python('other'));
    await save('say.py', python('two'), { replaces: sha256Of(python('other')) });
    expect(readFileSync(path, 'utf8')).toBe(python('two'));
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('is saved when it is broken, and the error is located', async () => {
    const { save } = scene();
    expect(await save('say.py', 'tool = {"description": x}\n')).toMatchObject({
      state: 'broken',
      problem: expect.stringMatching(/^Line 1: /),
    });
    expect(await save('read_file.py', python('x'))).toMatchObject({ problem: expect.stringContaining('is taken by') });
  });

  it.each(['../out.py', 'a/b.py', '.hidden.py', 'notes.txt', 'a b.py', ''])('is never written as %j', async (file) => {
    const { save } = scene();
    await expect(save(file, python('x'))).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('follows no link', async () => {
    const { home, save, commands } = scene();
    mkdirSync(join(home, 'tools'));
    writeFileSync(join(home, 'secret.py'), python('secret'));
    symlinkSync(join(home, 'secret.py'), join(home, 'tools', 'say.py'));
    await expect(commands.read({ input: { file: 'say.py' }, signal })).rejects.toMatchObject({ code: 'bad-input' });
    await expect(save('say.py', python('x'))).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(join(home, 'secret.py'), 'utf8')).toBe(python('secret'));
  });

  it('of a project keeps its approval, but gains none', async () => {
    const { projectPath, save } = scene();
    const folder = join(projectPath, '.dewpoint', 'tools');
    expect(await save('mine.py', python('mine'), { projectPath })).toMatchObject({ state: 'ready' });
    const replaces = sha256Of(python('mine'));
    expect(await save('mine.py', python('better'), { projectPath, replaces })).toMatchObject({ state: 'ready' });
    writeFileSync(join(folder, 'theirs.py'), python('theirs'));
    const theirs = sha256Of(python('theirs'));
    expect(await save('theirs.py', python('changed'), { projectPath, replaces: theirs })).toMatchObject({
      state: 'not-approved',
    });
  });
});

describe('a tool that is not saved yet', () => {
  it('runs as it is written, and its output is shown without secrets', async () => {
    const { home, ran, commands } = scene();
    const text = python('x', '"hosts": ["api.example.org"], "secrets": ["TOKEN"], "input_schema": {"required": ["a"]}');
    const test = (input: Record<string, unknown>, written = text) =>
      Promise.resolve(commands.testText({ input: { file: 'say.py', text: written, input }, signal }));
    const result = await test({ a: 1 });
    expect(result).toMatchObject({ status: 'ok', text: 'done' });
    expect(result.printed).toContain('it says ');
    expect(result.printed).not.toContain('sw0rdfish');
    expect(ran).toMatchObject([{ hosts: ['api.example.org'], env: { TOKEN: 'sw0rdfish' } }]);
    await expect(test({})).rejects.toMatchObject({ code: 'bad-input' });
    await expect(test({ a: 1 }, 'tool = {')).rejects.toThrow(/Line 1: /);
    expect(ran).toHaveLength(1);
    expect(() => statSync(join(home, 'tools'))).toThrow();
  });

  it('is checked as it is written, and an error is located', async () => {
    const { commands } = scene();
    const { file, text } = await commands.template({ input: { name: 'say', language: 'sh' }, signal });
    expect(file).toBe('say.sh');
    const check = async (written: string) => commands.check({ input: { file, text: written }, signal });
    expect(await check(text)).toMatchObject({ declaration: { name: 'say', timeout_seconds: 30 }, problem: null });
    expect(await check(text.replace('timeout_seconds = 30', 'timeout_seconds = 9000'))).toMatchObject({
      declaration: null,
      problem: expect.stringMatching(/^Line \d+: .*timeout_seconds/u),
    });
  });
});
