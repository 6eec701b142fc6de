import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { createOwnToolCommands } from '../../../../src/main/tools/own/commands.ts';
import { createOwnToolRecord } from '../../../../src/main/tools/own/own-tool-record.ts';
import { createOwnTools } from '../../../../src/main/tools/own/own-tools.ts';
import { importedBy } from '../../../../src/main/tools/programs/imported-programs.ts';
import type { ProgramWriter } from '../../../../src/shared/tools/program-writer.ts';
import type { ProgramReport } from '../../../../src/shared/session/program-reports.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const syntax = loadSyntax();

function report(number: number, text: string, more: Partial<ProgramReport> = {}): ProgramReport {
  const calls = [{ tool: 'shop__get_order', most: 40, paths: ['a/*'], made: 3, ends: { ok: 3 }, ms: 5 }];
  return {
    number,
    text,
    calls,
    toolCallId: `call-${number}`,
    turnId: 'turn',
    at: 1,
    tool: 'run_program',
    language: 'python',
    plan: 'Add.',
    sha256: null,
    refused: 0,
    problems: [],
    tests: 1,
    review: null,
    end: 'done',
    ms: 5,
    wrote: null,
    writer: null,
    keep: null,
    diff: null,
    ...more,
  };
}

/** A project, and a session with these programs. */
function scene(programs: readonly ProgramReport[]) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-kept-')));
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-kept-project-')));
  folders.push(home, project);
  const record = createOwnToolRecord(join(home, 'own-tools.json'));
  const own = {
    home,
    record,
    now: () => 7,
    writerToday: async (writer: ProgramWriter | null) => ({
      model: writer?.model ?? null,
      digest: writer?.digest ?? null,
      app: '2.0.0',
    }),
    off: () => [],
    projects: () => ({}),
    taken: () => new Map([['read_file', 'a tool of Dewpoint']]),
  };
  const tools = createOwnTools({
    ...own,
    loadSyntax: () => syntax,
    secret: async () => null,
    runApart: async () => {
      throw new Error('Nothing runs here.');
    },
  });
  const commands = createOwnToolCommands({
    loadSyntax,
    ...own,
    tools,
    templates: '',
    programsOf: async () => ({ projectPath: project, programs }),
    saveOff: async () => undefined,
    saveProject: async () => undefined,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
  });
  const keep = async (number: number, name = 'add_up') =>
    commands.keep({
      input: { sessionId: 's', toolCallId: `call-${number}`, name, description: 'Adds "up"\nall.' },
      signal,
    });
  const which = { name: 'add_up', projectPath: project };
  return { home, project, tools, commands, keep, which, file: join(project, '.dewpoint', 'tools', 'add_up.py') };
}

describe('a kept program', () => {
  it('is a tool of its project at once, and its versions can be compared', async () => {
    const one = scene([report(1, 'result = 1\n'), report(2, 'result = 2\n')]);
    expect(await one.keep(1)).toMatchObject({ state: 'ready', isOn: true, program: { version: 1 } });
    const again = await one.keep(2);
    const calls = [{ tool: 'shop__get_order', most: 40, paths: ['a/*'] }];
    expect(again.program).toMatchObject({ version: 2, calls, writer: null });
    const [{ spec } = { spec: null }] = await one.tools.forProject(one.project).offered();
    expect(spec).toMatchObject({ name: 'add_up', description: 'Adds "up"\nall.', own: { isProgram: true } });
    const versions = await one.commands.versions({ input: one.which, signal });
    expect(versions.map(({ version, sessionId, keptAt }) => [version, sessionId, keptAt])).toEqual([
      [2, 's', 7],
      [1, 's', 7],
    ]);
    expect(versions[0]?.diff).toContain('-result = 1\n+result = 2');
    expect(versions[1]?.diff).toBeNull();
    expect(readFileSync(one.file, 'utf8')).toMatch(/^# \/\/\/ dewpoint-tool\n(?:# .*\n|#\n)+# \/\/\/\nresult = 2\n$/u);
  });

  it('changed by a person becomes a new version, off until they have seen the change', async () => {
    const one = scene([report(1, 'result = 1\n'), report(2, 'result = 2\n')]);
    const { sha256, path } = await one.keep(1);
    const { text } = await one.commands.read({ input: { file: 'add_up.py', projectPath: one.project }, signal });
    const save = async (changed: string, replaces: string) =>
      one.commands.save({
        input: { file: 'add_up.py', text: changed, projectPath: one.project, replaces },
        signal,
      });
    expect(await save(text, sha256)).toMatchObject({ state: 'ready', program: { version: 1 } });
    const hand = await save(text.replace('result = 1', 'result = 9'), sha256);
    expect(hand).toMatchObject({
      path,
      state: 'changed',
      program: { version: 2, calls: [{ tool: 'shop__get_order' }] },
    });
    expect(hand.diff).toContain('-result = 1\n+result = 9');
    expect(await one.tools.forProject(one.project).offered()).toEqual([]);
    const versions = await one.commands.versions({ input: one.which, signal });
    expect(versions.map(({ version, sessionId }) => [version, sessionId])).toEqual([
      [2, ''],
      [1, 's'],
    ]);
    await one.commands.approve({ input: { ...one.which, sha256: hand.sha256 }, signal });
    expect(await one.tools.forProject(one.project).offered()).toHaveLength(1);
    // A broken program is saved but offered to nobody, even with an earlier approval.
    const broken = await save('# /// dewpoint-tool\n# nothing\n', hand.sha256);
    expect(broken.state).toBe('broken');
    const whole = await save(text, broken.sha256);
    expect(whole.state).not.toBe('broken');
    expect((await one.keep(2)).program?.version).toBe(3);
  });

  // Catches: a program of an older model or version that is listed like one that was reviewed today.
  it('names the writer of each version, and the writer of today', async () => {
    const writer = { model: 'ollama/coder', digest: 'a'.repeat(64), app: '1.0.0' };
    const one = scene([report(1, 'result = 1\n', { writer }), report(2, 'result = 2\n')]);
    const kept = await one.keep(1);
    expect(kept.program).toMatchObject({ writer, today: { ...writer, app: '2.0.0' } });
    const [{ spec } = { spec: null }] = await one.tools.forProject(one.project).offered();
    expect(spec?.own?.writer).toEqual(writer);
    // Other bytes are not what that model wrote.
    writeFileSync(one.file, readFileSync(one.file, 'utf8').replace('result = 1', 'result = 3'));
    const [changed] = (await one.commands.list({ input: { projectPath: one.project }, signal })).tools;
    expect(changed?.program?.writer).toBeNull();
    expect((await one.keep(2)).program?.writer).toBeNull();
    const versions = await one.commands.versions({ input: one.which, signal });
    expect(versions.map((version) => version.writer)).toEqual([null, writer]);
  });

  it('without a tag has an unknown writer', async () => {
    const one = scene([report(1, 'result = 1\n', { writer: { model: 'a/b', digest: null, app: '1.0.0' } })]);
    await one.keep(1);
    const path = join(one.home, 'own-tools.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/,\s*"writer":\s*\{[^}]*\}/u, ''));
    const [listed] = (await one.commands.list({ input: { projectPath: one.project }, signal })).tools;
    expect(listed).toMatchObject({ state: 'ready', program: { version: 1, writer: null } });
  });

  it('changed by somebody else needs a new approval, and cannot be imported before', async () => {
    const one = scene([report(1, 'result = 1\n')]);
    await one.keep(1);
    const source = one.tools.forProject(one.project);
    const [{ spec } = { spec: null }] = await source.offered();
    if (spec === null) throw new Error('Nothing is offered.');
    expect(await source.programText?.(spec)).toContain('result = 1');
    writeFileSync(one.file, readFileSync(one.file, 'utf8').replace('result = 1', 'result = 3'));
    expect(await source.programText?.(spec)).toBeNull();
    expect(await source.offered()).toEqual([]);
    const answer = await source.call(spec, {}, { signal, onProgress: () => undefined });
    expect(answer.status).toBe('refused');
  });

  it('must have ended well, with a free name, and overwrites no other file or link', async () => {
    const one = scene([
      report(1, 'result = 1\n', { end: 'failed' }),
      report(2, 'result = 2\n'),
      report(3, '', { text: null }),
    ]);
    await expect(one.keep(1)).rejects.toThrow('Only a program that ended well');
    await expect(one.keep(2, 'read_file')).rejects.toThrow('taken by a tool of Dewpoint');
    await expect(one.keep(3)).rejects.toThrow('no such program');
    const other = scene([report(1, 'result = 1\n')]);
    await other.keep(1, 'other');
    writeFileSync(other.file, '#!/bin/sh\n# /// dewpoint-tool\n# description = "x"\n# ///\n');
    await expect(other.keep(1)).rejects.toThrow('There is another tool add_up already');
    rmSync(join(other.project, '.dewpoint'), { recursive: true });
    symlinkSync(tmpdir(), join(other.project, '.dewpoint'));
    await expect(other.keep(1)).rejects.toThrow('is a link or no folder');
  });

  it('is removed with its file only as it was seen', async () => {
    const one = scene([report(1, 'result = 1\n')]);
    const { sha256 } = await one.keep(1);
    const remove = (seen: string) => one.commands.removeProgram({ input: { ...one.which, sha256: seen }, signal });
    await expect(remove('0'.repeat(64))).rejects.toThrow('changed since you looked');
    await remove(sha256);
    expect(existsSync(one.file)).toBe(false);
    expect((await one.commands.list({ input: { projectPath: one.project }, signal })).tools).toEqual([]);
    expect(await one.keep(1)).toMatchObject({ program: { version: 1 } });
  });

  it('is refused if it asks for hosts or keys, or is not Python', async () => {
    const one = scene([report(1, 'result = 1\n')]);
    await one.keep(1);
    const folder = join(one.project, '.dewpoint', 'tools');
    const header = (more: string): string => `# /// dewpoint-tool\n# description = "x"\n# calls = []\n${more}# ///\n`;
    writeFileSync(join(folder, 'with_host.py'), header('# hosts = ["a.example.org"]\n'));
    writeFileSync(join(folder, 'shell.sh'), header(''));
    const { tools } = await one.commands.list({ input: { projectPath: one.project }, signal });
    expect(tools.map(({ file, problem }) => [file, problem])).toEqual([
      ['add_up.py', null],
      ['shell.sh', 'Line 1: a program with "calls" is a .py or .mjs file, and says so in a header.'],
      ['with_host.py', 'Line 1: a program with "calls" has neither hosts nor secrets of its own.'],
    ]);
  });

  it('comes along when a program imports it, directly or not', () => {
    const kept = [
      { name: 'shop', language: 'python', text: 'from prices import one\n' },
      { name: 'prices', language: 'python', text: 'one = 1\n' },
      { name: 'other', language: 'python', text: 'shop = 1\n' },
      { name: 'total', language: 'javascript', text: 'export const one = 1;\n' },
    ] as const;
    expect(Object.keys(importedBy('import shop\nother = 2\n', 'python', kept))).toEqual(['shop', 'prices']);
    expect(importedBy('other = "shop"\n', 'python', kept)).toEqual({});
    const script = "import {\n  one,\n} from 'total';\nimport shop from 'shop';\n";
    expect(Object.keys(importedBy(script, 'javascript', kept))).toEqual(['total']);
  });
});
