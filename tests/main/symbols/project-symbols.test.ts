import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOf } from '@shared/errors.ts';
import { neverAborts } from '../../../src/main/lib/async/abort.ts';
import { hiddenFromReading } from '../../../src/main/sandbox/read-only/hidden-from-reading.ts';
import { createReadOnlySandbox } from '../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import type { SandboxFiles } from '../../../src/main/sandbox/sandbox.ts';
import { createSymbolClient, type SymbolClient } from '../../../src/main/symbols/process/symbol-client.ts';
import { createProjectSymbols, type ProjectSymbols } from '../../../src/main/symbols/project-symbols.ts';

/**
 * Catches: names that are hidden and show, that are stale, or that are gone after the process was killed; and files that
 * stop the index.
 */
let folder: string;
let client: SymbolClient;
let running: ChildProcess | null;
let starts: number;

const database = (): string => join(folder, 'cache', 'symbols.sqlite');
const put = (path: string, text: string): void => {
  const file = join(folder, 'project', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

function startClient(): SymbolClient {
  return createSymbolClient({
    programs: {
      start: (program, args, { stdio }) => {
        const child = spawn(program, [...args], { cwd: tmpdir(), stdio });
        running = child;
        starts += 1;
        return child;
      },
    },
    nodePath: process.execPath,
    processPath: resolve('tests/fakes/symbols-child.mjs'),
    databasePath: database(),
  });
}

function projectFiles(masks: readonly string[] = []): SandboxFiles {
  const workspacePath = join(folder, 'project');
  const hidden = async () => hiddenFromReading(masks, []);
  return createReadOnlySandbox({ workspacePath, because: null, hidden }).files;
}

/** Kills the process of the index, if it runs. */
function killProcess(): void {
  running?.kill('SIGKILL');
}

const symbols = (files: SandboxFiles = projectFiles(), with_ = client): ProjectSymbols =>
  createProjectSymbols({ project: join(folder, 'project'), files, client: with_ });

const definedIn = async (project: ProjectSymbols): Promise<readonly string[]> => {
  const ranked = valueOf(await project.rank({ words: 'a b c d e f', touched: [], limit: 100 }, neverAborts));
  const found = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map(async (name) => valueOf(await project.find([name], neverAborts)).definitions),
  );
  return [...new Set([...ranked, ...found.flat()].map(({ name }) => name))].sort();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-symbols-'));
  mkdirSync(join(folder, 'project'));
  running = null;
  starts = 0;
  client = startClient();
});

afterEach(() => {
  client.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe('the names of a project', () => {
  it('are found with their places and everyone who refers to them', async () => {
    put('app/cart.py', 'class Cart:\n    def add(self, item):\n        pass\n');
    put('app/main.py', 'from app.cart import Cart\n\ndef main():\n    Cart().add(1)\n');
    put('app/bag.py', 'class Bag:\n    def add(self, item):\n        pass\n');
    const found = valueOf(await symbols().find(['Cart.add'], neverAborts));
    expect(found.definitions).toMatchObject([{ path: 'app/cart.py', line: 2, signature: 'def add(self, item)' }]);
    expect(found.references).toEqual([{ path: 'app/main.py', line: 4, name: 'add', inside: 'main' }]);
    expect(valueOf(await symbols().outline('app/bag.py', neverAborts)).map(({ name }) => name)).toEqual(['Bag', 'add']);
    expect(valueOf(await symbols().outline('gone.py', neverAborts))).toEqual([]);
  });

  // Bug: fifty definitions of 120 looked like all of them, and those of tests came before the project's own.
  it('say how many definitions are left out, and leave out those of tests first', async () => {
    put('a_test.py', 'def run(): pass\n'.repeat(40));
    put('z.py', `${'def run(): pass\n'.repeat(20)}${'run()\n'.repeat(300)}`);
    const found = valueOf(await symbols().find(['run'], neverAborts));
    expect([found.definitions.length, found.moreDefinitions]).toEqual([50, 10]);
    expect(found.definitions.slice(0, 21).map(({ path }) => path)).toEqual([...Array(20).fill('z.py'), 'a_test.py']);
    expect([found.references.length, found.hasMoreReferences]).toEqual([200, true]);
  });

  it('follow what changes, and read only what changed', async () => {
    put('a.py', 'def a(): pass\n');
    put('b.py', 'def b(): pass\n');
    const project = symbols();
    expect(valueOf(await project.update(neverAborts))).toEqual({ files: 2, read: 2, isCut: false });
    put('b.py', 'def c(): pass\n');
    rmSync(join(folder, 'project', 'a.py'));
    put('d.py', 'def d(): pass\n');
    expect(valueOf(await project.update(neverAborts))).toEqual({ files: 2, read: 2, isCut: false });
    expect(await definedIn(project)).toEqual(['c', 'd']);
    expect(valueOf(await project.update(neverAborts))).toEqual({ files: 2, read: 0, isCut: false });
  });

  it('do not hold what is hidden, ignored, or left out, also if it was not so before', async () => {
    put('a.py', 'def a(): pass\n');
    put('b.py', 'def b(): pass\n');
    put('secret/c.py', 'def c(): pass\n');
    put('node_modules/d/d.js', 'function d() {}\n');
    put('fenced/e.py', 'def e(): pass\n');
    expect(await definedIn(symbols())).toEqual(['a', 'b', 'c', 'e']);
    put('.gitignore', 'b.py\n');
    const isLeftOut = async () => (path: string) => path.startsWith('fenced/');
    const files = projectFiles(['secret/**']);
    const project = createProjectSymbols({ project: join(folder, 'project'), files, client, isLeftOut });
    expect(await definedIn(project)).toEqual(['a']);
    client.dispose();
    const kept = ['', '-wal'].map((suffix) => readFileSync(`${database()}${suffix}`, 'latin1')).join('');
    expect(kept).not.toContain('secret/c.py');
  });

  it('are read again from disk after the process was killed, without reading the files again', async () => {
    put('a.py', 'def a(): pass\n');
    const project = symbols();
    expect(valueOf(await project.update(neverAborts))).toMatchObject({ read: 1 });
    killProcess();
    await expect.poll(async () => (await project.update(neverAborts)).ok, { timeout: 10_000 }).toBe(true);
    expect(valueOf(await project.update(neverAborts))).toMatchObject({ read: 0 });
    expect(await definedIn(project)).toEqual(['a']);
    expect(starts).toBe(2);
  });

  it('are whole again after the process was killed at any time, and after the file on disk was damaged', async () => {
    for (let at = 0; at < 120; at += 1) put(`f${at}.py`, `def f${at}(): pass\n`.repeat(50));
    for (const delayMs of [5, 60, 150, 300]) {
      const project = symbols();
      const going = project.update(neverAborts);
      await new Promise((done) => setTimeout(done, delayMs));
      killProcess();
      await going;
    }
    const project = symbols();
    await project.update(neverAborts);
    const { all } = valueOf(await project.map({ words: '', touched: [], tokens: 400 }, neverAborts));
    expect(all).toEqual({ files: 120, definitions: 6_000 });
    client.dispose();
    for (const damaged of [readFileSync(database()).fill(7, 5_000), Buffer.from('no database'.repeat(1_000))]) {
      for (const suffix of ['-wal', '-shm']) rmSync(database() + suffix, { force: true });
      writeFileSync(database(), damaged);
      client = startClient();
      expect(valueOf(await symbols().update(neverAborts))).toMatchObject({ read: 120 });
      client.dispose();
    }
  });

  it('go on where an update was cancelled', async () => {
    for (let at = 0; at < 600; at += 1) put(`f${at}.py`, `def f${at}(): pass\n`);
    const stop = new AbortController();
    const files = projectFiles();
    const project = symbols({
      ...files,
      readMany: async (paths, options, signal) => {
        const read = await files.readMany(paths, options, signal);
        setTimeout(() => stop.abort(), 100);
        return read;
      },
    });
    const first = await project.update(stop.signal);
    expect(first.ok || first.error.code === 'cancelled').toBe(true);
    const { read, files: all } = valueOf(await symbols().update(neverAborts));
    expect(all).toBe(600);
    expect(read).toBeLessThan(600);
  });

  it('come to those of the other branch if it is checked out while they are read', async () => {
    for (let at = 0; at < 300; at += 1) put(`f${at}.py`, `def a(): pass\n`);
    const files = projectFiles();
    let isSwitched = false;
    const project = symbols({
      ...files,
      readMany: async (paths, options, signal) => {
        if (!isSwitched) {
          for (let at = 0; at < 300; at += 1) put(`f${at}.py`, `def bb(): pass\n`);
          for (let at = 100; at < 300; at += 1) rmSync(join(folder, 'project', `f${at}.py`));
          isSwitched = true;
        }
        return files.readMany(paths, options, signal);
      },
    });
    valueOf(await project.update(neverAborts));
    const { definitions } = valueOf(await project.find(['a', 'bb'], neverAborts));
    expect(new Set(definitions.map(({ name }) => name))).toEqual(new Set(['bb']));
    const { all } = valueOf(await project.map({ words: '', touched: [], tokens: 400 }, neverAborts));
    expect(all).toEqual({ files: 100, definitions: 100 });
  });

  it('do not follow links, and survive loops, odd names, binary files and files of one line', async () => {
    put('src/a.py', 'def a(): pass\n');
    symlinkSync('..', join(folder, 'project', 'src', 'loop'));
    symlinkSync('loop2.py', join(folder, 'project', 'loop2.py'));
    symlinkSync('/etc/passwd', join(folder, 'project', 'out.py'));
    put('имя файла "x"\n.py', 'def b(): pass\n');
    put('binary.py', '\0\x01\x02def c(): pass\n');
    put('line.js', `var c=[${'1,'.repeat(5_000_000)}];`);
    put('line2.js', `var c=[${'d(),'.repeat(100_000)}];`);
    put('deep.py', '('.repeat(300_000));
    expect(await definedIn(symbols())).toEqual(['a', 'b']);
  });

  it('leave out the file that ends the process, and know the others', async () => {
    put('a.py', 'def a(): pass\n');
    put('b.py', 'def b(): pass # ends it\n');
    const killing: SymbolClient = {
      ...client,
      call: (call, signal) => {
        if (call.type === 'add' && call.files.some(({ text }) => text?.includes('ends it') === true)) killProcess();
        return client.call(call, signal);
      },
    };
    await client.call({ type: 'sync', project: 'x', files: [] }, neverAborts);
    expect(await definedIn(symbols(projectFiles(), killing))).toEqual(['a']);
  });

  it('fail in words if the process cannot run', async () => {
    const broken = createSymbolClient({
      programs: { start: () => spawn('/nothing/there', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }) },
      nodePath: '/nothing/there',
      processPath: '',
      databasePath: '',
    });
    const failed = await symbols(projectFiles(), broken).update(neverAborts);
    expect(failed).toMatchObject({ ok: false, error: { code: 'internal' } });
  });
});

describe('the map of a project', () => {
  it('is the same byte for byte until a file changes', async () => {
    put('a.py', 'def first_name(): return second_name()\n');
    put('b.py', 'def second_name(): pass\n');
    const ask = { words: 'second name', touched: [], tokens: 400 };
    const texts: string[] = [];
    for (const project of [symbols(), symbols()]) {
      texts.push(valueOf(await project.map(ask, neverAborts)).text);
      client.dispose();
    }
    expect(texts[0]).toBe('a.py\n  1 def first_name()\nb.py\n  1 def second_name()');
    expect(texts[1]).toBe(texts[0]);
    put('b.py', '\ndef second_name(): pass\n');
    expect(valueOf(await symbols().map(ask, neverAborts)).text).toContain('\n  2 def second_name()');
  });
});
