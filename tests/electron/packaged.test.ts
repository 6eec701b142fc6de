import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listPackage, statFile } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFlags, type Place, preparePlace, testEnvironment } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';
import { type BarePage, openBarePage } from './bare-page.ts';

let folder: string;
let program: string;
let place: Place;
let endDisplay: () => void;

const archive = (): string => join(dirname(program), 'resources', 'app.asar');
const beside = (...path: readonly string[]): string => join(`${archive()}.unpacked`, ...path);

/** The name and version of the package in a folder. */
function nameIn(path: string): string {
  const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

/** Every package in a folder `node_modules`, at any depth. */
function packagesIn(modules: string): readonly string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((name) => {
    const path = join(modules, name);
    return name.startsWith('@') ? packagesIn(path) : [nameIn(path), ...packagesIn(join(path, 'node_modules'))];
  });
}

const infoOf = (path: string): object => statFile(archive(), path.slice(1), false);

/** Runs the shipped command line on the shipped Node. */
function dewpoint(...args: readonly string[]): string {
  const node = beside('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const env = testEnvironment(place.home);
  return execFileSync(node, [beside('out', 'main', 'cli.cjs'), ...args], { env, encoding: 'utf8', cwd: folder });
}

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-packed-'));
  const env = { ...process.env, DEWPOINT_TEST_SHELL: '1' };
  const packed = execFileSync(process.execPath, ['scripts/package.mjs', '--out', folder], { env, encoding: 'utf8' });
  program = packed.trim();
  place = preparePlace([{ text: 'The port is 8123.' }]);
}, 300_000);

afterAll(() => {
  place?.remove();
  endDisplay?.();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed app', () => {
  it('opens its window and answers, with nothing of the checkout beside it', async () => {
    const started = await start();
    try {
      const { page } = started;
      await page.type('textarea', 'Which port does main.py use?');
      await page.type('input[list]', place.project);
      await page.evaluate(`document.querySelector('[data-mode=plan]').click()`);
      await page.evaluate(`document.querySelector('button[type=submit]').click()`);
      await page.until(`document.querySelector('[data-outcome=planned]')?.innerText.includes('The port is 8123')`);
    } finally {
      await started.end();
    }
  }, 180_000);

  it('loads what is native: the engine, the key store, SQLite', () => {
    const plan = JSON.parse(dewpoint('plan', 'smollm2-135m-instruct', '--context', '2048', '--json'));
    expect(plan).toMatchObject({ certainty: 'exact', granted: { context: 2048 } });
    expect(JSON.parse(dewpoint('keys', 'list', '--json')).store.type).toMatch(/^(ready|locked|unavailable)$/u);
    expect(dewpoint('sessions', 'search', '8123')).toContain('Which port does main.py use?');
  });

  it('cannot be turned into Node, a debugger or another app by its switches', async () => {
    const fuses = await getCurrentFuseWire(program);
    // The file stores each fuse as the character code of the digit 0 or 1.
    const isOn = (fuse: FuseV1Options): string => String.fromCharCode(fuses[fuse] ?? 0);
    expect({
      runAsNode: isOn(FuseV1Options.RunAsNode),
      nodeOptions: isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
      inspect: isOn(FuseV1Options.EnableNodeCliInspectArguments),
      onlyFromArchive: isOn(FuseV1Options.OnlyLoadAppFromAsar),
      cookiesEncrypted: isOn(FuseV1Options.EnableCookieEncryption),
      ownSnapshot: isOn(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot),
      archiveChecked: isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
    }).toEqual({
      runAsNode: '0',
      nodeOptions: '0',
      inspect: '0',
      onlyFromArchive: '1',
      cookiesEncrypted: '1',
      ownSnapshot: '0',
      archiveChecked: '1',
    });
    // This fuse came with Electron 29. An older shell does not have it. In a packaged app it must be off.
    const files = fuses[FuseV1Options.GrantFileProtocolExtraPrivileges];
    if (files !== undefined) expect(isOn(FuseV1Options.GrantFileProtocolExtraPrivileges)).toBe('0');
    const { electronFuses } = JSON.parse(readFileSync('electron-builder.json', 'utf8'));
    expect(electronFuses).toMatchObject({ grantFileProtocolExtraPrivileges: false });
  });

  it("runs only hashed files of the archive in its window, with only Node's files beside it", () => {
    const files = listPackage(archive(), { isPack: false }).filter((path) => !('files' in infoOf(path)));
    const isUnpacked = (path: string): boolean => 'unpacked' in infoOf(path);
    const ofWindow = files.filter((path) => path.startsWith('/out/'));
    expect(ofWindow).toEqual(
      expect.arrayContaining(['/out/main/index.cjs', '/out/preload/index.cjs', '/out/renderer/index.html']),
    );
    expect(ofWindow.filter(isUnpacked)).toEqual([]);
    expect(files.filter((path) => !isUnpacked(path) && !('integrity' in infoOf(path)))).toEqual([]);
    expect(files.filter((path) => isUnpacked(path) && !path.endsWith('.node'))).toEqual([]);
    expect([existsSync(beside('out', 'main', 'index.cjs')), existsSync(beside('out', 'preload'))]).toEqual([
      false,
      false,
    ]);
    expect(existsSync(beside('out', 'main', 'cli.cjs'))).toBe(true);
  });

  it('has the license text of every package in it and of what packages carry', () => {
    const atProgram = (name: string): string => readFileSync(join(dirname(program), name), 'utf8');
    const texts = atProgram('LICENSES.txt');
    // Where the core looks for them.
    expect(readFileSync(beside('..', '..', 'LICENSES.txt'), 'utf8')).toBe(texts);
    const named = new Set(texts.match(/^(?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S*$/gmu));
    const copied = packagesIn(beside('node_modules'));
    const bundled = ['main', 'preload', 'renderer'].flatMap((part) =>
      JSON.parse(readFileSync(join('out-shell', part, 'bundle-facts.json'), 'utf8')).packages.map(nameIn),
    );
    expect(copied.length).toBeGreaterThan(50);
    expect(bundled).toEqual(
      expect.arrayContaining([expect.stringMatching(/^zod /u), expect.stringMatching(/^react /u)]),
    );
    expect([...copied, ...bundled].filter((name) => !named.has(name))).toEqual([]);
    for (const part of ['llama.cpp', 'ripgrep', 'pdf.js', 'tree-sitter-grammars', 'gitleaks', 'moby-profiles'])
      expect(texts).toContain(`\n${part}\n\n`);
    expect(atProgram('NOTICE')).toContain('LICENSES.txt');
    expect(atProgram('LICENSE.electron.txt')).toContain('Electron contributors');
    expect(atProgram('LICENSES.chromium.html')).toContain('The Chromium Authors');
  });

  it('contains no engine for another machine, and no file that neither program loads', () => {
    const engines = [...readdirSync(beside('node_modules', '@node-llama-cpp'))];
    expect(engines).toEqual([`linux-${process.arch}`]);
    expect(existsSync(beside('resources', 'sandbox', 'Dockerfile'))).toBe(true);
    const inArchive = listPackage(archive(), { isPack: false });
    expect(
      inArchive.filter((path) =>
        /^\/out\/main\/(?:cli|document-process)\.cjs$|^\/node_modules\/(?:node-llama-cpp|node-linux)/u.test(path),
      ),
    ).toEqual([]);
    const outside = readdirSync(beside('node_modules'), { recursive: true, encoding: 'utf8' });
    const packed = [...inArchive.filter((path) => path.startsWith('/node_modules/')), ...outside];
    expect(packed.filter((path) => /musl|\.(?:c|h|cc|map|d\.ts|bundle)$/u.test(path))).toEqual([]);
  });
});

interface Started {
  readonly page: BarePage;
  readonly end: () => Promise<void>;
}

/** The usual driver needs a switch that a packaged app does not have. Its page is reached by the debugging port. */
async function start(): Promise<Started> {
  const args = ['--remote-debugging-port=0', ...appFlags()];
  const env = testEnvironment(place.home);
  const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const page = await openBarePage(await portOf(child));
  const end = async (): Promise<void> => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    page.close();
    child.kill();
    await gone;
  };
  return { page, end };
}

function portOf(child: ChildProcess): Promise<number> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /DevTools listening on ws:\/\/[^:]+:(\d+)\//u.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${text}`)));
  });
}
