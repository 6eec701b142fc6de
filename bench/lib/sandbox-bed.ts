import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Reply } from '@shared/errors.ts';
import { settingsSchema, type Settings } from '@shared/settings/settings.ts';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import type { ExecResult, Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';

export const none = new AbortController().signal;

/** A sandbox as a session has it, on a project that is an empty repository. */
export interface BenchBed {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  readonly engine: Engine;
  /** The ids of its containers in the engine. */
  containers(): Promise<readonly string[]>;
  exec(command: string, timeoutMs?: number): Promise<ExecResult>;
  close(): Promise<void>;
}

export interface BedOptions {
  readonly settings?: Partial<Settings['sandbox']>;
  /** Another address of the engine, as in `DOCKER_HOST`. */
  readonly dockerHost?: string;
  /** Fills the project before the session begins. */
  readonly prepare?: (workspace: string) => Promise<void>;
}

/** Rejects if there is no engine. The caller closes it. */
export async function openBed(options: BedOptions = {}): Promise<BenchBed> {
  const engine = valueOf(
    await findEngine({ env: process.env, homeDirectory: homedir(), platform: process.platform, waitMs: 60_000 }, none),
  );
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-bench-sandbox-')));
  const [workspace, home] = [join(folder, 'workspace'), join(folder, 'home')];
  await Promise.all([mkdir(workspace), mkdir(home)]);
  await makeRepository(join(workspace, '.git'));
  await options.prepare?.(workspace);
  const env = options.dockerHost === undefined ? process.env : { ...process.env, DOCKER_HOST: options.dockerHost };
  const makeSandbox = createSandboxFactory({
    homePath: home,
    resourcesPath: resolve('resources'),
    imageScript: {
      node: process.execPath,
      path: resolve('scripts', 'setup', 'sandbox-image.mjs'),
      programs: testPrograms(),
    },
    env,
    connection: () => ({ proxy: null, certificates: null }),
  });
  const made = await makeSandbox(
    {
      sessionId: 'bench',
      workspacePath: workspace,
      wanted: 'container',
      needsExecute: true,
      settings: { ...settingsSchema.parse({}).sandbox, ...options.settings },
      onLost: () => undefined,
      onProgress: (text) => process.stderr.write(`${text}\n`),
    },
    none,
  );
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  if (!made.ok) await remove();
  const sandbox = valueOf(made);
  return {
    sandbox,
    workspace,
    engine,
    containers: async () => {
      const filters = { label: [`dewpoint.home=${homeIdOf(home)}`] };
      return (await engine.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
    },
    exec: async (command, timeoutMs = 60_000) => valueOf(await sandbox.exec({ command, timeoutMs }, none)),
    close: async () => {
      await sandbox.dispose();
      await remove();
    },
  };
}

/** As `git init` creates it: the protected files of a project are checked before and after every command. */
async function makeRepository(path: string): Promise<void> {
  await mkdir(join(path, 'hooks'), { recursive: true });
  for (const folder of ['objects', 'refs/heads', 'info']) await mkdir(join(path, folder), { recursive: true });
  await writeFile(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(path, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
  for (let hook = 0; hook < 13; hook += 1) await writeFile(join(path, 'hooks', `hook-${hook}.sample`), '#!/bin/sh\n');
}

export function valueOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(`${reply.error.message} ${reply.error.hint ?? ''}`.trim());
  return reply.value;
}
