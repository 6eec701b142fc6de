import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { asOtherUser, knowOtherUser, otherUser } from './other-user.ts';
import { removeGroups, startWorldApart } from './world-apart.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

/** `rootless`: everything runs as `otherUser`. */
export type PodmanKind = 'rootful' | 'rootless';

export interface PrivatePodman {
  /** The engine, as Dewpoint finds it by its Docker socket. */
  readonly engine: Engine;
  /** A value for `DOCKER_HOST`. */
  readonly host: string;
  readonly close: () => Promise<void>;
}

export async function isPodmanHere(kind: PodmanKind): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const programs = ['podman', 'unshare', ...(kind === 'rootless' ? ['nsenter', 'newuidmap', 'setpriv'] : [])];
  return run('sh', ['-c', programs.map((name) => `command -v ${name}`).join(' && ')]).then(
    () => true,
    () => false,
  );
}

/**
 * Podman with its Docker socket and its own store, in separate processes, mounts and network. It touches nothing of
 * another engine, and everything in it ends with one process. Needs root and `podman`.
 */
export async function startPodman(kind: PodmanKind): Promise<PrivatePodman> {
  if (!(await isPodmanHere(kind)))
    throw new Error('These tests need Linux, root, podman and what it needs without root.');
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-podman-'));
  const at = (...names: string[]): string => join(folder, ...names);
  await mkdir(at('.config', 'containers'), { recursive: true });
  await writeFile(at('.config', 'containers', 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
  const host = `unix://${at('podman.sock')}`;
  const global = ['--root', at('root'), '--runroot', at('run'), '--storage-driver', 'vfs'];
  const engineFlags = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', 'runc'];
  const podman = ['podman', ...global, ...engineFlags, 'system', 'service', '--time=0', host];
  const world = await startWorldApart();
  if (kind === 'rootless') {
    // Its users must pass through this folder to reach their own files.
    await chmod(folder, 0o711);
    await knowOtherUser(folder, (command) => world.run(...command));
    await run('chown', ['-R', `${otherUser.uid}:${otherUser.gid}`, folder]);
  }
  const home = ['env', `HOME=${folder}`];
  await world.leave(at('log'), kind === 'rootless' ? asOtherUser(folder, podman) : [...home, ...podman]);
  const close = async (): Promise<void> => {
    await world.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await removeGroups('libpod_parent');
  };
  const deadline = performance.now() + 60_000;
  for (;;) {
    const search = { env: { DOCKER_HOST: host }, homeDirectory: folder, platform: 'linux', waitMs: 60_000 } as const;
    const found = await findEngine(search, never);
    if (found.ok) return { engine: found.value, host, close };
    if (performance.now() > deadline) {
      await close();
      throw new Error(`Podman does not come up: ${found.error.message}`);
    }
    await wait(100);
  }
}
