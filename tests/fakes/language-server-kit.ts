import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { success } from '../../src/shared/errors.ts';
import type { LanguageServers } from '../../src/main/language-servers/language-servers.ts';
import { createLanguageServers } from '../../src/main/language-servers/language-servers.ts';
import type { OpenProcess, Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { createFolderSandbox } from './sandbox/folder-sandbox.ts';

export interface ServerScene {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly servers: LanguageServers;
  /** How many servers were started. */
  readonly starts: () => number;
  /** How many of them still run. */
  readonly running: () => number;
  readonly put: (path: string, text: string) => void;
  readonly close: () => Promise<void>;
}

/** A project in a folder with the language server of the tests, which misbehaves as `trouble` says. */
export function serverScene(files: Readonly<Record<string, string>>, trouble = ''): ServerScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-language-server-')));
  const put: ServerScene['put'] = (path, text) => writeFileSync(join(folder, path), text);
  for (const [path, text] of Object.entries(files)) put(path, text);
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const words = [process.execPath, resolve('tests/fakes/fake-language-server.mjs'), trouble, folder];
  writeFileSync(join(bin, 'ty'), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}\n`);
  chmodSync(join(bin, 'ty'), 0o755);
  const open = new Set<OpenProcess>();
  let starts = 0;
  const sandbox: Sandbox = {
    ...createFolderSandbox(folder),
    workspacePath: folder,
    open: async ({ command, onOutput }) => {
      starts += 1;
      const process = openHere(folder, command, onOutput);
      open.add(process);
      void process.ended.then(() => open.delete(process));
      return success(process);
    },
  };
  return {
    folder,
    sandbox,
    servers: createLanguageServers({ answerMs: 3_000, settleMs: 500 })(sandbox),
    starts: () => starts,
    running: () => open.size,
    put,
    close: async () => {
      await Promise.all([...open].map((process) => process.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openHere(folder: string, command: string, onOutput: Parameters<Sandbox['open']>[0]['onOutput']): OpenProcess {
  const child = spawn('sh', ['-c', command], { cwd: folder, detached: true, stdio: 'pipe' });
  child.stdout.on('data', (bytes: Uint8Array) => onOutput({ stream: 'stdout', bytes }));
  child.stderr.on('data', (bytes: Uint8Array) => onOutput({ stream: 'stderr', bytes }));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ readonly exitCode: number | null }>((done) => {
    child.once('close', (exitCode) => done({ exitCode }));
  });
  return {
    ended,
    write: (bytes) => new Promise((done) => void child.stdin.write(bytes, () => done())),
    close: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}
