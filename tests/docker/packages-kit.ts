import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import {
  createPackagePreparations,
  type PackagePreparations,
} from '../../src/main/sandbox/packages/package-preparations.ts';
import { createProjectImages } from '../../src/main/sandbox/images/project-images.ts';
import { createOutboundConnections, dial } from '../../src/main/sandbox/network/outbound-connections.ts';
import { createSandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import type { NetworkResult, Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { imageSource, none, requireEngine } from './docker-kit.ts';

export const minutes = (count: number): number => count * 60_000;

/** A home with projects whose packages are prepared and used. */
export interface PackagesUnderTest {
  readonly home: string;
  /** The hosts of the configured indexes of this machine. */
  readonly hosts: readonly string[];
  readonly preparations: PackagePreparations;
  /** Names of this home's package volumes. */
  volumes(): Promise<readonly string[]>;
  /** Writes the files of a project and returns its path. */
  project(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Builds the image with the toolchains that a project needs, and uses it for the project from then on. */
  bringToolchains(projectPath: string): Promise<void>;
  /** Approves the planned preparation. Returns the failure reason of each part, or its state. */
  prepare(
    projectPath: string,
    anew?: boolean,
    more?: { readonly languageServers?: boolean },
  ): Promise<readonly string[]>;
  /** Runs work in a new sandbox. */
  session<T>(projectPath: string, work: (sandbox: Sandbox) => Promise<T>, sessionId?: string): Promise<T>;
  /** Rejects if packages were left behind. */
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

const tries = 4;
/** Messages of package managers and the proxy about a failing network, rather than a failing package. */
const ofNetwork =
  /cannot reach|ECONN|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|socket hang up|Connection (?:reset|broken|aborted)|Read timed out|50[0-4] /;

/** If the network failed, tries once more after a while. In the end it throws the network's error in plain words. */
async function withNetwork<T>(
  what: string,
  work: () => Promise<T>,
  failureOf: (value: T) => string | null,
): Promise<T> {
  for (let left = tries; ; left -= 1) {
    const value = await work();
    const failed = failureOf(value);
    if (failed === null) return value;
    if (left === 1) throw new Error(`The network failed ${tries} times, nothing else is wrong: ${what}: ${failed}`);
    await wait((tries - left + 1) * 3_000);
  }
}

const networkFailure = (text: string): string | null => (ofNetwork.test(text) ? text : null);

/** A command with a network, as approved by the user. */
export function runOut(
  sandbox: Sandbox,
  command: string,
  options: { readonly hosts: readonly string[]; readonly keepsPackages: 'session' | 'project' },
): Promise<NetworkResult> {
  return withNetwork(
    command,
    async () => valueOf(await sandbox.runWithNetwork({ ...options, command, timeoutMs: minutes(2) }, none)),
    ({ exitCode, stdout, stderr }) => (exitCode === 0 ? null : networkFailure(stdout + stderr)),
  );
}

/**
 * A home of its own. Rejects in plain words if a configured index cannot be reached, because all tests here need them.
 */
export async function openPackages(): Promise<PackagesUnderTest> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-packages-')));
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  await mkdir(home);
  let settings = settingsSchema.parse({}).sandbox;
  const deps = {
    homePath: home,
    resourcesPath: imageSource.resourcesPath,
    imageScript: imageSource.script,
    env: process.env,
    connection: () => ({ proxy: null, certificates: null }),
    masks: async () => [],
    settings: () => settings,
    learn: () => undefined,
    saveProjects: async (projects: typeof settings.projects) => void (settings = { ...settings, projects }),
    onNotice: () => undefined,
  };
  const preparations = createPackagePreparations(deps);
  const images = createProjectImages(deps);
  const start = createSandboxFactory(deps);
  const project: PackagesUnderTest['project'] = async (name, files) => {
    const path = join(folder, name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    }
    return path;
  };
  const volumes = async (): Promise<readonly string[]> => {
    const filters = { label: [`dewpoint.dependencies=${homeIdOf(home)}`] };
    const { Volumes } = await requireEngine().docker.listVolumes({ filters });
    return (Volumes ?? []).map(({ Name }) => Name);
  };
  const both = await project('both', {
    'requirements.txt': 'six\n',
    'package.json': '{"name": "both", "dependencies": {"is-number": "*"}}',
  });
  const hosts = valueOf(await preparations.plan({ projectPath: both, hosts: [] }, none)).hosts.map(({ host }) => host);
  for (const host of hosts) await expectReachable(host);
  return {
    home,
    hosts,
    preparations,
    volumes,
    project,
    bringToolchains: async (projectPath) => {
      const image = await images.ofProject(projectPath);
      if (image?.toolchains === undefined) throw new Error('The project asks for no toolchain.');
      const request = { type: 'project', projectPath, approval: image.approval } as const;
      await images.bring(request, () => undefined, none);
    },
    prepare: (projectPath, anew = false, more = {}) => {
      const wish = { projectPath, hosts: [], anew, ...more };
      const once = async (): Promise<readonly string[]> => {
        const { approval } = valueOf(await preparations.plan(wish, none));
        const { parts } = valueOf(await preparations.prepare({ ...wish, approval, onProgress: () => undefined }, none));
        return parts.map(({ state, reason }) => reason ?? state);
      };
      return withNetwork('its packages', once, (states) => networkFailure(states.join(' ')));
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
      const left = await volumes();
      await rm(folder, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`Packages were left in ${left.join(', ')}.`);
    },
  };
}

async function expectReachable(host: string): Promise<void> {
  const outward = createOutboundConnections(() => ({ proxy: null, certificates: null }), process.env);
  const dialled = await withNetwork(
    `the package index at ${host}`,
    () => dial(outward, { host, port: 443 }, none),
    (reply) => (reply.ok ? null : `this machine cannot reach it (${reply.reason})`),
  );
  if (dialled.ok) dialled.socket.destroy();
}
