import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findEngine, type Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { asOwnRoot, knowOtherUser, otherUser } from './other-user.ts';
import { removeGroups, startWorldApart, type WorldApart } from './world-apart.ts';

const run = promisify(execFile);
const never = new AbortController().signal;

/** The name of its only image. */
export const smallImage = 'dewpoint-test:small';

/** Collects a shell, the usual tools and the runner from the available image: all that a session's container needs. */
export const smallImageCommand = `set -e
files=$(for p in bash sh cat df ls find grep sed sort head tail sleep env mkdir rm mv cp chmod stat true false seq tr wc dd kill touch ln readlink realpath sha256sum cut printf id setsid mktemp test basename xargs; do command -v $p; done | grep ^/ | sort -u)
libs=$(for f in $files; do ldd $f 2>/dev/null | grep -o '/[^ ]*'; done | sort -u)
links='bin lib lib64 sbin'
# Folders by name: those that an engine has to guess may be open to nobody.
folders=$(for f in $files $libs /usr/local/lib/dewpoint/runner; do d=$(realpath \${f%/*}); while [ -n "$d" ]; do echo $d; d=\${d%/*}; done; done | sed 's,^/,,' | sort -u)
tar -cf small.tar --hard-dereference --no-recursion -C / $(for l in $links; do [ -L /$l ] && echo $l; done) $folders
tar -rhf small.tar --hard-dereference -C / --transform 's,^bin/,usr/bin/,;s,^lib/,usr/lib/,;s,^lib64/,usr/lib64/,' $(echo $files $libs | tr ' ' '\\n' | sed 's,^/,,' | sort -u) usr/local/lib/dewpoint/runner`;

/**
 * `remapped`: container users have other ids on the host. `rootless`: the whole engine runs as a user who is not root.
 * `live-restore`: containers keep running when the daemon stops.
 */
export type PrivateEngineKind = 'plain' | 'remapped' | 'rootless' | 'live-restore';

const programsOf: Readonly<Record<PrivateEngineKind, readonly string[]>> = {
  plain: [],
  remapped: [],
  rootless: ['rootlesskit', 'newuidmap', 'setpriv'],
  'live-restore': [],
};

/**
 * A container engine of its own, which tests may kill, freeze and restart, unlike the machine's engine. Its processes,
 * mounts and network are separate: it cannot touch what the other engine set up, and everything in it ends with one
 * process. Needs root and `dockerd`.
 */
export class PrivateEngine {
  readonly #folder: string;
  readonly #world: WorldApart;
  readonly #kind: PrivateEngineKind;

  private constructor(kind: PrivateEngineKind, folder: string, world: WorldApart) {
    this.#kind = kind;
    this.#folder = folder;
    this.#world = world;
  }

  static async isPossible(kind: PrivateEngineKind = 'plain'): Promise<boolean> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
    const programs = ['dockerd', 'unshare', 'nsenter', ...programsOf[kind]];
    return run('sh', ['-c', programs.map((name) => `command -v ${name}`).join(' && ')]).then(
      () => true,
      () => false,
    );
  }

  /** Null if this machine cannot run one. The caller closes it. */
  static async start(kind: PrivateEngineKind = 'plain', disk: OwnDisk | null = null): Promise<PrivateEngine | null> {
    if (!(await PrivateEngine.isPossible(kind))) return null;
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-dockerd-'));
    // Users of containers must pass through this folder to reach their own files.
    await chmod(folder, 0o711);
    const mounting = disk === null ? [] : await mountData(folder, disk);
    const world = await startWorldApart();
    const engine = new PrivateEngine(kind, folder, world);
    if (mounting.length > 0) await world.run(...mounting);
    if (kind === 'remapped' || kind === 'rootless') await knowOtherUser(folder, (command) => world.run(...command));
    if (kind === 'rootless') await chown(folder, otherUser.uid, otherUser.gid);
    await engine.startAgain();
    return engine;
  }

  get host(): string {
    return `unix://${join(this.#folder, 's')}`;
  }

  /** The engine, as Dewpoint finds it. */
  async find(): Promise<Engine> {
    const found = await findEngine(
      { env: { DOCKER_HOST: this.host }, homeDirectory: this.#folder, platform: 'linux', waitMs: 60_000 },
      never,
    );
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }

  /** Imports the image. `tar`: a root file system with the runner. */
  async bringImage(tar: string): Promise<void> {
    const { docker } = await this.find();
    const [repo, tag] = smallImage.split(':');
    const stream = await docker.importImage(tar, { repo, tag, changes: ['LABEL dewpoint.runner=2'] });
    for await (const piece of stream) void piece;
  }

  /** Starts the daemon again. Resolves when it answers. */
  async startAgain(): Promise<void> {
    const at = (name: string): string => join(this.#folder, name);
    const args = ['--host', this.host, '--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    const apart = ['--bridge', 'none', '--iptables=false', '--ip-forward=false'];
    const groups = ['--cgroup-parent', `/${basename(this.#folder)}`];
    const daemon = ['dockerd', ...args, ...apart, ...(this.#kind === 'rootless' ? ['--rootless'] : groups)];
    if (this.#kind === 'remapped') daemon.push('--userns-remap', otherUser.name);
    if (this.#kind === 'live-restore') daemon.push('--live-restore');
    await this.#world.leave(at('log'), this.#kind === 'rootless' ? asOwnRoot(this.#folder, daemon) : daemon);
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

  /** Runs a command in the engine's folder, with the mounts that the engine sees. */
  async inside(...command: readonly string[]): Promise<void> {
    await this.#world.run('sh', '-c', 'cd "$0" && exec "$@"', this.#folder, ...command);
  }

  /** Signals the daemon only. Its children are left alone. */
  async signal(name: 'KILL' | 'TERM' | 'STOP' | 'CONT'): Promise<void> {
    const pid = (await readFile(join(this.#folder, 'pid'), 'utf8')).trim();
    await this.#world.run('kill', `-${name}`, pid);
    if (name !== 'KILL' && name !== 'TERM') return;
    const isThere = (): Promise<boolean> =>
      this.#world.run('kill', '-0', pid).then(
        () => true,
        () => false,
      );
    while (await isThere()) await wait(20);
  }

  async close(): Promise<void> {
    await this.#world.end();
    await run('umount', ['-l', join(this.#folder, 'data')]).catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await removeGroups(basename(this.#folder));
  }
}

/** A separate disk for all data of the engine. */
interface OwnDisk {
  /** Such as `400m`. */
  readonly size: string;
  /** False: only the engine sees the disk, as if it ran in another machine. */
  readonly isSeen: boolean;
}

/** The command that mounts the disk where only the engine sees it. Empty if it is already mounted. */
async function mountData(folder: string, { size, isSeen }: OwnDisk): Promise<readonly string[]> {
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o711 });
  const args = ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tmpfs', data];
  if (!isSeen) return ['mount', ...args];
  await run('mount', args);
  return [];
}
