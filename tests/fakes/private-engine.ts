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

/** The name of the one image in it. */
export const smallImage = 'dewpoint-test:small';

/** A shell, the usual tools and the runner: what a container of a session needs, of the image that is at hand. */
export const smallImageCommand = `set -e
files=$(for p in bash sh cat df ls find grep sed sort head tail sleep env mkdir rm mv cp chmod stat true false seq tr wc dd kill touch ln readlink realpath sha256sum cut printf id setsid mktemp test basename xargs; do command -v $p; done | grep ^/ | sort -u)
libs=$(for f in $files; do ldd $f 2>/dev/null | grep -o '/[^ ]*'; done | sort -u)
links='bin lib lib64 sbin'
# Folders by name: those that an engine has to guess may be open to nobody.
folders=$(for f in $files $libs /usr/local/lib/dewpoint/runner; do d=$(realpath \${f%/*}); while [ -n "$d" ]; do echo $d; d=\${d%/*}; done; done | sed 's,^/,,' | sort -u)
tar -cf small.tar --hard-dereference --no-recursion -C / $(for l in $links; do [ -L /$l ] && echo $l; done) $folders
tar -rhf small.tar --hard-dereference -C / --transform 's,^bin/,usr/bin/,;s,^lib/,usr/lib/,;s,^lib64/,usr/lib64/,' $(echo $files $libs | tr ' ' '\\n' | sed 's,^/,,' | sort -u) usr/local/lib/dewpoint/runner`;

/**
 * `remapped`: users of containers are others on the host. `rootless`: the whole engine runs as a user who is not root.
 * `live-restore`: containers go on when the daemon does not.
 */
export type PrivateEngineKind = 'plain' | 'remapped' | 'rootless' | 'live-restore';

const programsOf: Readonly<Record<PrivateEngineKind, readonly string[]>> = {
  plain: [],
  remapped: [],
  rootless: ['rootlesskit', 'newuidmap', 'setpriv'],
  'live-restore': [],
};

/**
 * A container engine of its own, to be killed, frozen and started again, which the machine's own must not be. It has
 * processes, mounts and a network apart: it cannot touch what the other one set up, and everything in it ends with one
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

  /** Null where this machine cannot have one. The caller closes. */
  static async start(kind: PrivateEngineKind = 'plain', disk: OwnDisk | null = null): Promise<PrivateEngine | null> {
    if (!(await PrivateEngine.isPossible(kind))) return null;
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-dockerd-'));
    // Users of containers go through it to what is theirs.
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

  /** As Dewpoint finds it. */
  async find(): Promise<Engine> {
    const found = await findEngine(
      { env: { DOCKER_HOST: this.host }, homeDirectory: this.#folder, platform: 'linux', waitMs: 60_000 },
      never,
    );
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }

  /** `tar`: the root of a file system with the runner. */
  async bringImage(tar: string): Promise<void> {
    const { docker } = await this.find();
    const [repo, tag] = smallImage.split(':');
    const stream = await docker.importImage(tar, { repo, tag, changes: ['LABEL dewpoint.runner=2'] });
    for await (const piece of stream) void piece;
  }

  /** Starts the daemon; resolves when it answers. */
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

  /** Runs a command where its folder is as the engine sees it. */
  async inside(...command: readonly string[]): Promise<void> {
    await this.#world.run('sh', '-c', 'cd "$0" && exec "$@"', this.#folder, ...command);
  }

  /** Of the daemon alone: what it started is left as it is. */
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

/** A disk of its own for all that the engine keeps. */
interface OwnDisk {
  /** As `400m`. */
  readonly size: string;
  /** False: only the engine sees it, as one in another machine. */
  readonly isSeen: boolean;
}

/** The command that mounts it where only the engine sees it; none where it is mounted already. */
async function mountData(folder: string, { size, isSeen }: OwnDisk): Promise<readonly string[]> {
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o711 });
  const args = ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tmpfs', data];
  if (!isSeen) return ['mount', ...args];
  await run('mount', args);
  return [];
}
