import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine.ts';
import { removeGroups } from './private-engine.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

export interface PrivatePodman {
  /** As Dewpoint finds it, by its Docker socket. */
  readonly engine: Engine;
  /** For `DOCKER_HOST`. */
  readonly host: string;
  readonly close: () => Promise<void>;
}

export async function isPodmanHere(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return run('sh', ['-c', 'command -v podman && command -v unshare']).then(
    () => true,
    () => false,
  );
}

/**
 * Podman with its Docker socket and a store of its own, in processes, mounts and a network apart: it touches nothing of
 * another engine, and everything in it ends with one process. Needs root and `podman`.
 */
export async function startPodman(): Promise<PrivatePodman> {
  if (!(await isPodmanHere())) throw new Error('These tests need Linux, root, podman and unshare.');
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-podman-'));
  const at = (...names: string[]): string => join(folder, ...names);
  await mkdir(at('.config', 'containers'), { recursive: true });
  await writeFile(at('.config', 'containers', 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
  const host = `unix://${at('podman.sock')}`;
  const global = ['--root', at('root'), '--runroot', at('run'), '--storage-driver', 'vfs'];
  const engineFlags = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', 'runc'];
  const podman = ['podman', ...global, ...engineFlags, 'system', 'service', '--time=0', host];
  // The shell buries the dead and ends with our end of its input; with it ends everything in there.
  const apart = ['--fork', '--pid', '--mount-proc', '--net', '--mount', '--kill-child'];
  const script = 'log=$1; shift; "$@" >"$log" 2>&1 & read _';
  const anchor = spawn('unshare', [...apart, 'bash', '-c', script, 'bash', at('log'), ...podman], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, HOME: folder },
  });
  await once(anchor, 'spawn');
  const close = async (): Promise<void> => {
    const ended = once(anchor, 'exit');
    anchor.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await removeGroups('libpod_parent');
  };
  const deadline = performance.now() + 60_000;
  for (;;) {
    const search = { env: { DOCKER_HOST: host }, homeDirectory: folder, platform: 'linux' } as const;
    const found = await findEngine(search, never);
    if (found.ok) return { engine: found.value, host, close };
    if (performance.now() > deadline) {
      await close();
      throw new Error(`Podman does not come up: ${found.error.message}`);
    }
    await wait(100);
  }
}
