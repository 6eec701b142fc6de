import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLog } from '../../src/main/lib/log.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/identity.ts';
import { createPreparations, type Preparations } from '../../src/main/sandbox/preparations.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { settingsSchema } from '../../src/shared/settings.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { imageSource, none, requireEngine } from './docker-kit.ts';

export const minutes = (count: number): number => count * 60_000;

/** A home of its own, with projects in it whose packages are prepared and used. */
export interface PackagesUnderTest {
  readonly home: string;
  readonly preparations: Preparations;
  /** Names of this home's volumes with packages. */
  volumes(): Promise<readonly string[]>;
  /** Writes files of a project; its path. */
  project(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Approves what is planned; the reason of each part that failed, else its state. */
  prepare(projectPath: string, anew?: boolean): Promise<readonly string[]>;
  /** A new sandbox each time. */
  session<T>(projectPath: string, work: (sandbox: Sandbox) => Promise<T>, sessionId?: string): Promise<T>;
  close(): Promise<void>;
}

export interface Ran {
  readonly code: number | null;
  readonly text: string;
}

export async function run(sandbox: Sandbox, command: string): Promise<Ran> {
  const { exitCode, stdout, stderr } = valueOf(await sandbox.exec({ command, timeoutMs: minutes(1) }, none));
  return { code: exitCode, text: stdout + stderr };
}

export async function openPackages(): Promise<PackagesUnderTest> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-packages-')));
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  await mkdir(home);
  const settings = settingsSchema.parse({}).sandbox;
  const deps = {
    homePath: home,
    resourcesPath: imageSource.resourcesPath,
    imageScript: imageSource.script,
    env: process.env,
    connection: () => ({ proxy: null, certificates: null }),
    masks: async () => [],
    settings: () => settings,
    learn: () => undefined,
    onNotice: () => undefined,
    log: silentLog,
  };
  const preparations = createPreparations(deps);
  const start = createSandboxFactory(deps);
  return {
    home,
    preparations,
    volumes: async () => {
      const filters = { label: [`dewpoint.dependencies=${homeIdOf(home)}`] };
      const { Volumes } = await requireEngine().docker.listVolumes({ filters });
      return (Volumes ?? []).map(({ Name }) => Name);
    },
    project: async (name, files) => {
      const path = join(folder, name);
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, file)), { recursive: true });
        await writeFile(join(path, file), text);
      }
      return path;
    },
    prepare: async (projectPath, anew = false) => {
      const wish = { projectPath, hosts: [], anew };
      const { approval } = valueOf(await preparations.plan(wish, none));
      const { parts } = valueOf(await preparations.prepare({ ...wish, approval, onProgress: () => undefined }, none));
      return parts.map(({ state, reason }) => reason ?? state);
    },
    session: async (projectPath, work, sessionId = 's') => {
      const sandbox = valueOf(
        await start(
          {
            wanted: 'container',
            needsExecute: true,
            onLost: () => undefined,
            onProgress: () => undefined,
            sessionId,
            workspacePath: projectPath,
            settings,
          },
          none,
        ),
      );
      try {
        return await work(sandbox);
      } finally {
        await sandbox.dispose();
      }
    },
    close: async () => {
      await preparations.clean({ remove: 'all' }, none);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
