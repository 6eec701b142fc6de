import type Dockerode from 'dockerode';
import { cp, link, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine, none, output, requireEngine, startSandbox, type DockerUnderTest } from './docker-kit.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';

/** What every kind of container would print of the hidden files. All of them hold the word. */
const readAll = 'grep -rl canary . | sort; true';

const files: Readonly<Record<string, string>> = {
  'deploy/id_rsa': 'PRIVATE KEY canary',
  '.kube/config': 'canary',
  'app/.env': 'X=canary',
  'private/plan.txt': 'canary',
  'vault/all/a.txt': 'canary',
  'open.txt': 'open',
};

async function fill(workspace: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  for (const path of ['tests', 'node_modules', '.git/x']) await mkdir(join(workspace, path), { recursive: true });
}

const masks = ['private/*.txt', 'vault/all'];

async function inService({ sandbox }: DockerUnderTest): Promise<string> {
  const { id } = valueOf(await sandbox.backgroundProcesses.start({ command: readAll }, none));
  while ((await sandbox.backgroundProcesses.read(id))?.state.status === 'running') await wait(20);
  return (await sandbox.backgroundProcesses.read(id))?.text ?? '';
}

/** An engine whose containers cannot be removed for a while. */
function withStuckRemoval(docker: Dockerode, stuck: { readonly isStuck: boolean }): Dockerode {
  const createContainer = async (body: Dockerode.ContainerCreateOptions): Promise<Dockerode.Container> => {
    const container = await docker.createContainer(body);
    const remove = container.remove.bind(container);
    return Object.assign(container, {
      remove: async (options: Dockerode.ContainerRemoveOptions) => {
        if (stuck.isStuck) throw Object.assign(new Error('device busy'), { statusCode: 500 });
        return remove(options);
      },
    });
  };
  return Object.assign(Object.create(docker), { createContainer });
}

async function inEveryContainer(under: DockerUnderTest): Promise<readonly string[]> {
  const { sandbox } = under;
  const request = { command: readAll, timeoutMs: 60_000, hosts: ['host.example.test'] };
  return [
    await output(sandbox, readAll),
    await inService(under),
    valueOf(await sandbox.runWithNetwork(request, none)).stdout,
  ];
}

const nothing = ['', '', ''];

describe.skipIf(isWithoutEngine)('a file hidden from commands', () => {
  it('stays hidden in every further container, whatever a command renames', async () => {
    const under = await startSandbox({ masks, prepare: fill });
    try {
      const moves = [
        'mv deploy tests/deploy',
        'mv .kube kube',
        'mv app node_modules/app',
        'mv private open',
        'mv vault .git/x/vault',
        'mv .kube/config kube-config',
        'ln app/.env node_modules/env',
        `python3 -c "import os; os.rename('app', 'node_modules/app')"`,
      ];
      await output(under.sandbox, `${moves.join('; ')}; true`);
      expect(await inEveryContainer(under)).toEqual(nothing);
    } finally {
      await under.close();
    }
  });

  it('stays hidden after the person renamed it, in the next session and in one that runs', async () => {
    const first = await startSandbox({ masks, prepare: fill });
    const at = (path: string): string => join(first.workspace, path);
    await link(at('app/.env'), at('node_modules/other-name'));
    await first.sandbox.dispose();
    await rename(at('deploy'), at('tests/deploy'));
    await rename(at('.kube'), at('kube'));
    await rename(at('app'), at('node_modules/app'));
    await rename(at('private'), at('open'));
    await rename(at('vault'), at('.git/x/vault'));
    // An editor writes a new file in place of the old one.
    await writeFile(at('kube/new'), 'canary');
    await rename(at('kube/new'), at('kube/config'));
    const next = await startSandbox({ masks, after: first });
    try {
      expect(await inEveryContainer(next)).toEqual(nothing);
      expect(next.sandbox.description.warnings.join()).toContain('kube/config (hidden before as .kube/config)');
      await rename(at('tests/deploy'), at('docs'));
      expect(await inEveryContainer(next)).toEqual(nothing);
    } finally {
      await next.close();
    }
  });

  it('stays hidden when the person writes it anew or brings it back while the session runs', async () => {
    const first = await startSandbox({ prepare: fill });
    const at = (path: string): string => join(first.workspace, path);
    await first.sandbox.dispose();
    await rename(at('deploy'), join(first.home, 'deploy'));
    const under = await startSandbox({ after: first });
    try {
      expect(await output(under.sandbox, 'cat app/.env')).toBe('');
      await writeFile(at('app/.env.new'), 'X=canary');
      await rename(at('app/.env.new'), at('app/.env'));
      expect(await output(under.sandbox, 'cat app/.env')).toBe('');
      await cp(join(first.home, 'deploy'), at('deploy'), { recursive: true });
      expect(await output(under.sandbox, 'cat deploy/id_rsa')).toBe('');
      expect(under.losses).toEqual([
        { reason: 'app/.env must stay hidden, and was moved or replaced', recreated: true },
        { reason: 'deploy/id_rsa must stay hidden, and was moved or replaced', recreated: true },
      ]);
    } finally {
      await under.close();
    }
  });

  it('stays hidden from a command that waits for the person to write it, and in the copies of it', async () => {
    const under = await startSandbox({ prepare: fill });
    const at = (path: string): string => join(under.workspace, path);
    // Long enough that a copy of it is known as one. For a moment, commands can see this old content, too.
    await writeFile(at('app/.env'), 'X=canary-before-it-changed');
    try {
      const copy = 'while :; do cp app/.env notes 2>/dev/null; cp app/.env tests/new.example 2>/dev/null; done';
      valueOf(await under.sandbox.backgroundProcesses.start({ command: copy }, none));
      const waiting = under.sandbox.exec(
        { command: 'until grep canary app/.env; do :; done; cp app/.env node_modules/x', timeoutMs: 30_000 },
        none,
      );
      await wait(500);
      await writeFile(at('app/.env.new'), 'X=canary-canary-canary');
      await rename(at('app/.env.new'), at('app/.env'));
      expect(await waiting).toMatchObject({
        ok: false,
        error: { code: 'refused', message: expect.stringContaining('app/.env was moved or replaced') },
      });
      expect((await under.sandbox.backgroundProcesses.read('s1'))?.text).not.toContain('canary');
      expect(await inEveryContainer(under)).toEqual([
        './private/plan.txt\n./vault/all/a.txt\n',
        ...Array(2).fill('./private/plan.txt\n./vault/all/a.txt\n'),
      ]);
    } finally {
      await under.close();
    }
  });

  it('lets no other container start while one that may have shown it cannot be ended', async () => {
    const { docker, ...engine } = requireEngine();
    const stuck = { isStuck: true };
    const under = await startSandbox({ prepare: fill, engine: { ...engine, docker: withStuckRemoval(docker, stuck) } });
    const at = (path: string): string => join(under.workspace, path);
    try {
      await writeFile(at('app/.env.new'), 'X=canary-canary-canary');
      await rename(at('app/.env.new'), at('app/.env'));
      expect(await under.sandbox.exec({ command: 'cat app/.env', timeoutMs: 30_000 }, none)).toMatchObject({
        ok: false,
        error: { code: 'sandbox-lost', message: expect.stringContaining('may have seen app/.env') },
      });
      stuck.isStuck = false;
      expect(await output(under.sandbox, 'cat app/.env; echo over')).toBe('over\n');
    } finally {
      stuck.isStuck = false;
      await under.close();
    }
  });

  it('stays hidden when the person adds it during the session, while files of commands stay visible', async () => {
    const under = await startSandbox({ prepare: fill });
    const at = (path: string): string => join(under.workspace, path);
    try {
      const made = 'printf "X=mine" > made.env; printf "X=mine" > made.txt; cat made.env made.txt';
      expect(await output(under.sandbox, made)).toBe('X=mineX=mine');
      await wait(100);
      await writeFile(at('app/new.env'), 'X=canary');
      await writeFile(at('plain.txt'), 'plain');
      await wait(100);
      // It is noticed a moment later.
      const seen = { interval: 300 };
      await expect.poll(() => output(under.sandbox, 'cat app/new.env plain.txt'), seen).toBe('plain');
      await wait(100);
      await writeFile(at('.npmrc'), '//host.example.test/:_authToken=canary-canary\n');
      await wait(100);
      const read = async (): Promise<string> =>
        Buffer.from(valueOf(await under.sandbox.files.read('.npmrc', {}, none)).bytes).toString();
      await expect.poll(read, seen).toBe('');
      expect(under.losses.map(({ reason }) => reason)).toEqual([
        'app/new.env must stay hidden, and is new',
        '.npmrc must stay hidden, and is new',
      ]);
      // What is hidden now is neither a change nor gone.
      const { files: scanned, hidden } = valueOf(await under.sandbox.files.scan(none));
      expect(['made.txt', 'made.env', '.npmrc'].map((path) => scanned.has(path))).toEqual([true, false, false]);
      expect(hidden).toEqual(expect.arrayContaining(['made.env', '.npmrc']));
    } finally {
      await under.close();
    }
  });

  it('is visible again when the person says so, under its old and its new name', async () => {
    const first = await startSandbox({ prepare: fill });
    await first.sandbox.dispose();
    await rename(join(first.workspace, 'deploy'), join(first.workspace, 'tests/deploy'));
    const next = await startSandbox({ after: first, settings: { unmask: ['tests/deploy/id_rsa', '.kube/config'] } });
    try {
      expect(await output(next.sandbox, readAll)).toBe(
        './.kube/config\n./private/plan.txt\n./tests/deploy/id_rsa\n./vault/all/a.txt\n',
      );
    } finally {
      await next.close();
    }
  });
});
