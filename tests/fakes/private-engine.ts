import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

/** The name of the one image in it. */
export const smallImage = 'dewpoint-test:small';

/** A shell, the usual tools and the runner: what a container of a session needs, of the image that is at hand. */
export const smallImageCommand = `set -e
files=$(for p in bash sh cat ls find grep sed sort head tail sleep env mkdir rm mv cp chmod stat true false seq tr wc dd kill touch ln readlink realpath sha256sum cut printf id setsid mktemp test basename xargs; do command -v $p; done | grep ^/ | sort -u)
libs=$(for f in $files; do ldd $f 2>/dev/null | grep -o '/[^ ]*'; done | sort -u)
links='bin lib lib64 sbin'
tar -cf small.tar --hard-dereference -C / $(for l in $links; do [ -L /$l ] && echo $l; done)
tar -rhf small.tar --hard-dereference -C / --transform 's,^bin/,usr/bin/,;s,^lib/,usr/lib/,;s,^lib64/,usr/lib64/,' $(echo $files $libs | tr ' ' '\\n' | sed 's,^/,,' | sort -u) usr/local/lib/dewpoint/runner`;

/**
 * A container engine of its own, to be killed, frozen and started again, which the machine's own must not be. It has
 * processes, mounts and a network apart: it cannot touch what the other one set up, and everything in it ends with one
 * process. Needs root and `dockerd`.
 */
export class PrivateEngine {
  readonly #folder: string;
  readonly #anchor: ChildProcess;
  readonly #anchorPid: number;

  private constructor(folder: string, anchor: ChildProcess, anchorPid: number) {
    this.#folder = folder;
    this.#anchor = anchor;
    this.#anchorPid = anchorPid;
  }

  static async isPossible(): Promise<boolean> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
    return run('sh', ['-c', 'command -v dockerd && command -v unshare && command -v nsenter']).then(
      () => true,
      () => false,
    );
  }

  /** Null where this machine cannot have one. The caller closes. */
  static async start(): Promise<PrivateEngine | null> {
    if (!(await PrivateEngine.isPossible())) return null;
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-dockerd-'));
    // Process 1 of it: whatever runs in there dies with it, and it dies with our end of its input. A shell, because it
    // buries the dead: a daemon that starts again waits for ever for one that is still in the list.
    const apart = ['--fork', '--pid', '--mount-proc', '--net', '--mount', '--kill-child'];
    const anchor = spawn('unshare', [...apart, 'bash', '-c', 'read'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(anchor, 'spawn');
    const engine = new PrivateEngine(folder, anchor, await childOf(anchor.pid ?? 0));
    await engine.startAgain();
    return engine;
  }

  get host(): string {
    return `unix://${join(this.#folder, 's')}`;
  }

  /** As Dewpoint finds it. */
  async find(): Promise<Engine> {
    const found = await findEngine(
      { env: { DOCKER_HOST: this.host }, homeDirectory: this.#folder, platform: 'linux' },
      never,
    );
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }

  /** `tar`: the root of a file system with the runner. */
  async bringImage(tar: string): Promise<void> {
    const { docker } = await this.find();
    const [repo, tag] = smallImage.split(':');
    const stream = await docker.importImage(tar, { repo, tag, changes: ['LABEL dewpoint.runner=1'] });
    for await (const piece of stream) void piece;
  }

  /** Starts the daemon; resolves when it answers. */
  async startAgain(): Promise<void> {
    const at = (name: string): string => join(this.#folder, name);
    const args = ['--host', this.host, '--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    const apart = ['--bridge', 'none', '--iptables=false', '--ip-forward=false'];
    const groups = ['--cgroup-parent', `/${basename(this.#folder)}`];
    // Let go of by its shell, so that process 1 buries it: nsenter would stop when the daemon is stopped, and stay so.
    const command = ['sh', '-c', '"$@" >"$0" 2>&1 &', at('log'), 'dockerd', ...args, ...apart, ...groups];
    await run('nsenter', this.#inside(...command));
    const deadline = performance.now() + 60_000;
    for (;;) {
      if (performance.now() > deadline) throw new Error('The private engine does not come up.');
      const answered = await this.find().then(
        () => true,
        () => false,
      );
      if (answered) return;
      await wait(50);
    }
  }

  /** Of the daemon alone: what it started is left as it is. */
  async signal(name: 'KILL' | 'TERM' | 'STOP' | 'CONT'): Promise<void> {
    const pid = (await readFile(join(this.#folder, 'pid'), 'utf8')).trim();
    await run('nsenter', this.#inside('kill', `-${name}`, pid));
    if (name !== 'KILL' && name !== 'TERM') return;
    while (await isThere(this.#inside('kill', '-0', pid))) await wait(20);
  }

  async close(): Promise<void> {
    const ended = once(this.#anchor, 'exit');
    process.kill(this.#anchorPid, 'SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await removeGroups(basename(this.#folder));
  }

  #inside(...command: readonly string[]): string[] {
    return ['-t', String(this.#anchorPid), '-p', '-n', '-m', ...command];
  }
}

async function isThere(args: string[]): Promise<boolean> {
  return run('nsenter', args).then(
    () => true,
    () => false,
  );
}

async function childOf(pid: number): Promise<number> {
  for (;;) {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    const child = Number(text.trim().split(' ')[0]);
    if (child > 0 && (await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')).trim() === 'bash') return child;
    await wait(10);
  }
}

/** The control groups that its containers were in: they outlive it. */
export async function removeGroups(name: string): Promise<void> {
  const top = '/sys/fs/cgroup';
  const places = [top, ...(await readdir(top).catch(() => [])).map((one) => join(top, one))];
  for (const place of places) {
    for (const inner of await readdir(join(place, name)).catch(() => [])) {
      await rmdir(join(place, name, inner)).catch(() => undefined);
    }
    await rmdir(join(place, name)).catch(() => undefined);
  }
}
