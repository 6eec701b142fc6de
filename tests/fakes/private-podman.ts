import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine.ts';
import { removeGroups, smallImage } from './private-engine.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

export interface PrivatePodman {
  /** As Dewpoint finds it, by its Docker socket. */
  readonly engine: Engine;
  /** `tar`: the root of a file system with the runner. */
  readonly bringImage: (tar: string) => Promise<void>;
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
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-podman-'));
  const at = (...names: string[]): string => join(folder, ...names);
  await mkdir(at('.config', 'containers'), { recursive: true });
  await writeFile(at('.config', 'containers', 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
  const socket = at('podman.sock');
  const global = ['--root', at('root'), '--runroot', at('run'), '--storage-driver', 'vfs'];
  const engineFlags = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', 'runc'];
  const podman = ['podman', ...global, ...engineFlags, 'system', 'service', '--time=0', `unix://${socket}`];
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
    const found = await findEngine(
      { env: { DOCKER_HOST: `unix://${socket}` }, homeDirectory: folder, platform: 'linux' },
      never,
    );
    if (found.ok) return { engine: found.value, bringImage: (tar) => bringImage(found.value, tar), close };
    if (performance.now() > deadline) {
      await close();
      throw new Error(`Podman does not come up: ${found.error.message}`);
    }
    await wait(100);
  }
}

// It takes the repository of an import and not its tag.
async function bringImage({ docker }: Engine, tar: string): Promise<void> {
  const [repo = '', tag = ''] = smallImage.split(':');
  const stream = await docker.importImage(tar, { repo, changes: ['LABEL dewpoint.runner=1'] });
  for await (const piece of stream) void piece;
  await docker.getImage(`${repo}:latest`).tag({ repo, tag });
}
