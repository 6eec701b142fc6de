import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine, none, output, requireEngine, startSandbox, type DockerUnderTest } from './docker-kit.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';

describe.skipIf(isWithoutEngine)('a protected container', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox({ settings: { memoryMb: 512, pids: 128, cpus: 1 } });
  });
  afterAll(() => under.close());

  it('has no network but its own loopback', async () => {
    expect(await output(under.sandbox, 'ls /sys/class/net')).toBe('lo\n');
    const dial = `python3 -c "import socket; socket.create_connection(('192.0.2.1', 80), 2)"`;
    expect(valueOf(await under.sandbox.exec({ command: dial, timeoutMs: 60_000 }, none)).stderr).toMatch(/unreachable/);
  });

  it('has no capabilities, no new privileges and a read-only system', async () => {
    const status = await output(under.sandbox, 'cat /proc/self/status');
    expect([...status.matchAll(/^Cap\w+:\s+(\w+)$/gm)].map((match) => match[1])).toEqual(
      Array.from({ length: 5 }, () => '0'.repeat(16)),
    );
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    for (const path of ['/etc/x', '/usr/bin/x', '/x', '/run/dewpoint/run']) {
      expect(
        valueOf(await under.sandbox.exec({ command: `echo x > ${path}`, timeoutMs: 60_000 }, none)).exitCode,
      ).not.toBe(0);
    }
    await output(under.sandbox, 'mount -t tmpfs x /mnt; test $? -ne 0');
  });

  it('can write and run programs in its memory disks and in scratch', async () => {
    for (const folder of ['/tmp', '/home/agent', '/scratch']) {
      expect(
        await output(
          under.sandbox,
          `printf '#!/bin/sh\\necho ran' > ${folder}/p && chmod +x ${folder}/p && ${folder}/p`,
        ),
      ).toBe('ran\n');
    }
  });

  it('keeps the limits it names', async () => {
    expect(under.sandbox.description.limits).toEqual({ network: 'none', memoryMb: 512, cpus: 1, pids: 128 });
    const { HostConfig, Config } = await requireEngine()
      .docker.getContainer(await under.containerId())
      .inspect();
    expect([HostConfig.Memory, HostConfig.NanoCpus, HostConfig.PidsLimit, HostConfig.LogConfig?.Type]).toEqual([
      512 * 1024 * 1024,
      1e9,
      128,
      'none',
    ]);
    expect(JSON.stringify(Config.Env)).not.toMatch(/KEY|TOKEN|SECRET/i);
  });

  it.skipIf(process.platform !== 'linux')(
    'cannot reach a program of this machine by its socket in the project',
    async () => {
      const heard: string[] = [];
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes) => void heard.push(bytes.toString()));
      });
      const stale = createServer();
      const served = await startSandbox({
        prepare: async (workspace) => {
          await mkdir(join(workspace, 'run'));
          await once(server.listen(join(workspace, 'run', 'db.sock')), 'listening');
          await once(stale.listen(join(workspace, 'run', 'old.sock')), 'listening');
          // The listener is gone, as after a kill, and the file stays.
          await rename(join(workspace, 'run', 'old.sock'), join(workspace, 'run', 'left.sock'));
          await once(stale.close(), 'close');
        },
      });
      try {
        const dial = (name: string): string =>
          `python3 -c "import socket; socket.socket(1).connect('run/${name}.sock'); print('through')" 2>&1 | tail -1`;
        expect(await output(served.sandbox, dial('db'))).toMatch(/refused/);
        expect(heard).toEqual([]);
        expect(served.sandbox.description.warnings.join()).toContain('run/db.sock');
        // A leftover socket belongs to the project and can be created again, so it may be removed.
        expect(await output(served.sandbox, 'rm run/left.sock; ls run')).toBe('db.sock\n');
      } finally {
        server.close();
        await served.close();
      }
    },
  );

  it('cannot be killed from within', async () => {
    await under.sandbox.exec({ command: 'kill -9 1; kill -9 -1', timeoutMs: 60_000 }, none);
    expect(await output(under.sandbox, 'echo still here')).toBe('still here\n');
    expect(under.losses).toEqual([]);
  });

  it('survives a full memory disk', async () => {
    const result = valueOf(
      await under.sandbox.exec(
        { command: 'head -c 400000000 /dev/zero > /tmp/big; rm -f /tmp/big', timeoutMs: 60_000 },
        none,
      ),
    );
    expect(result.stderr).toMatch(/No space left/);
    expect(await output(under.sandbox, 'echo still here')).toBe('still here\n');
  });
});

describe.skipIf(isWithoutEngine)('the limit on folders that are checked', () => {
  const evil = 'printf "[core]\\n\\tfsmonitor = /evil\\n" > lib/dep/.git/config';
  const flood = (count: number): string =>
    `python3 -c "import os; [os.makedirs('many/%d/in' % n) for n in range(${count})]"`;

  it('stops every command until there is room again, and hides no repository', async () => {
    const under = await startSandbox({ mostFolders: 100, prepare: (work) => mkdir(join(work, 'lib')) });
    try {
      const plant = `git init -q lib/dep && ${evil}`;
      const ran = valueOf(await under.sandbox.exec({ command: `${flood(100)}; ${plant}`, timeoutMs: 60_000 }, none));
      expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('lib/dep/.git')]);
      expect(await under.text('lib/dep/.git/config')).not.toContain('fsmonitor');
      const request = { command: 'rm -r many', timeoutMs: 60_000, hosts: ['host.example.test'] };
      const replies = [
        await under.sandbox.exec(request, none),
        await under.sandbox.runWithNetwork(request, none),
        await under.sandbox.backgroundProcesses.start(request, none),
        await under.sandbox.open({ ...request, onOutput: () => undefined }, none),
      ];
      expect(replies.map((reply) => (reply.ok ? 'ran' : reply.error.code))).toEqual(Array(4).fill('refused'));
      expect(under.sandbox.description.warnings.join()).toContain('it has more folders than can be checked');
      await rm(join(under.workspace, 'many'), { recursive: true });
      expect(await output(under.sandbox, 'git -C lib/dep status --short; ls')).toBe('lib\n');
    } finally {
      await under.close();
    }
  });
});

describe.skipIf(isWithoutEngine)('a path that a person masks', () => {
  it('is empty for every command and file operation, and cannot be written', async () => {
    const under = await startSandbox({
      masks: ['plans', '*.secret'],
      prepare: async (workspace) => {
        await mkdir(join(workspace, 'plans', 'deep'), { recursive: true });
        await writeFile(join(workspace, 'plans', 'deep', 'a.md'), 'canary-1');
        await writeFile(join(workspace, 'one.secret'), 'canary-2');
        await writeFile(join(workspace, 'open.txt'), 'open');
      },
    });
    try {
      const all = 'find . -type f | sort; cat open.txt one.secret; grep -r canary . ; ls -A plans | wc -l';
      expect(await output(under.sandbox, `${all}; true`)).toBe('./one.secret\n./open.txt\nopen0\n');
      for (const command of ['echo x > one.secret', 'echo x > plans/b', 'rm -rf plans', 'umount plans', 'mv plans p']) {
        expect(valueOf(await under.sandbox.exec({ command, timeoutMs: 60_000 }, none)).exitCode).not.toBe(0);
      }
      expect(await under.sandbox.files.read('plans/deep/a.md', {}, none)).toMatchObject({
        ok: false,
        error: { code: 'refused' },
      });
      expect(await under.text('plans/deep/a.md')).toBe('canary-1');
      expect(under.sandbox.description.warnings.join(' ')).toContain('Masked by rules');
    } finally {
      await under.close();
    }
  });
});

describe.skipIf(isWithoutEngine)('files with secrets', () => {
  const fill =
    (files: Readonly<Record<string, string>>): ((workspace: string) => Promise<void>) =>
    async (workspace) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(workspace, path)), { recursive: true });
        await writeFile(join(workspace, path), text);
      }
    };
  const keys = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`keys/${at}.env`, 'X=canary']));

  it('are empty and cannot be written, even pinned ones and many in one folder', async () => {
    const under = await startSandbox({
      prepare: fill({
        ...keys,
        '.envrc': 'export API_TOKEN=canary1',
        '.mcp.json': '{"env": {"API_KEY": "canary1"}}',
        'infra/terraform.tfstate': 'canary',
        '.git/credentials': 'https://a:canary@host.example',
        'plain.txt': 'canary',
      }),
    });
    try {
      expect(await output(under.sandbox, 'grep -rl canary . ; cat .envrc .mcp.json; ls keys')).toBe('./plain.txt\n');
      const write = 'echo x > .envrc; echo x > keys/1.env; mv .envrc other; rm -rf keys; true';
      await output(under.sandbox, write);
      expect([await under.text('.envrc'), await under.text('keys/1.env')]).toEqual([
        'export API_TOKEN=canary1',
        'X=canary',
      ]);
    } finally {
      await under.close();
    }
  });

  it('prevent the start when one of them cannot be hidden, and the reason says what to do', async () => {
    const failing = startSandbox({ prepare: fill({ ...keys, 'keys/readme.md': 'x' }) });
    await expect(failing).rejects.toThrow(/^refused: There is too much to hide in this project/);
  });
});
