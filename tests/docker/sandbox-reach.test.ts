import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine, output, startSandbox } from './docker-kit.ts';

/**
 * What may be reached. Everything else that `reach.py` tries must be blocked. A new probe must be listed in one of the
 * two.
 */
const reachable: Readonly<Record<string, readonly string[]>> = {
  // Debuggers need it, and it reaches only the container's own processes.
  ptrace: ['open'],
  // The variables of the container's own first process. None of them is a secret.
  '/proc/1/environ': ['open', 'EACCES'],
  // Projects that several people share use them, and copies keep them.
  'a folder that hands on its group': ['open'],
  AF_UNIX: ['open'],
  AF_INET: ['open'],
  AF_INET6: ['open', 'EAFNOSUPPORT'],
  AF_NETLINK: ['open'],
  interfaces: ['lo'],
  CapEff: ['none'],
  CapBnd: ['none'],
  CapAmb: ['none'],
  NoNewPrivs: ['1'],
  Seccomp: ['2'],
};

const heldBack =
  /^(EPERM|EACCES|ENOSYS|EROFS|ENOENT|EAFNOSUPPORT|ESOCKTNOSUPPORT|EPROTONOSUPPORT|ENETUNREACH|EHOSTUNREACH|gaierror|empty)$/;

describe.skipIf(isWithoutEngine || process.platform === 'win32')('the reach of a container', () => {
  it.each([
    ['as the owner of the project', { uid: 1234, gid: 1234 }],
    ['where the project belongs to root', { uid: 0, gid: 0 }],
  ])('is exactly what is listed, %s', async (_who, owner) => {
    const under = await startSandbox({
      ...(process.getuid?.() === 0 ? { owner } : {}),
      prepare: (workspace) => copyFile('tests/fixtures/reach.py', join(workspace, 'reach.py')),
    });
    try {
      const printed = await output(under.sandbox, 'python3 reach.py');
      const answers = printed
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
      expect(answers.length).toBeGreaterThanOrEqual(60);
      const wrong = answers.filter(([name = '', answer = '']) => {
        const allowed = reachable[name];
        return allowed === undefined ? !heldBack.test(answer) : !allowed.includes(answer);
      });
      // A memory disk of the container, in which devices can be neither created nor added.
      expect(wrong.filter(([name]) => name !== 'write /dev' || owner.uid !== 0)).toEqual([]);
      expect(Object.keys(reachable).filter((name) => !answers.some(([probe]) => probe === name))).toEqual([]);
    } finally {
      await under.close();
    }
  });
});

describe.skipIf(isWithoutEngine || process.platform === 'win32')('a container without a network', () => {
  it('sends nothing out in any way that was tried', async () => {
    const under = await startSandbox({
      prepare: (workspace) => copyFile('tests/fixtures/egress.py', join(workspace, 'egress.py')),
    });
    try {
      const tries = (await output(under.sandbox, 'python3 egress.py', 110_000)).trim().split('\n');
      expect(tries.length).toBeGreaterThanOrEqual(60);
      expect(tries.filter((line) => !line.endsWith('\tkept in'))).toEqual([]);
      // Would list every interface except loopback, with the packets it sent.
      expect(await output(under.sandbox, 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "')).toBe('lo\n');
    } finally {
      await under.close();
    }
  }, 180_000);
});
