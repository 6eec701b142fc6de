import { describe, expect, it } from 'vitest';
import { engineProblems, isOlder } from '../../../../../src/main/sandbox/docker/engine/engine-health.ts';
import { userCandidates, usersText } from '../../../../../src/main/sandbox/docker/user/user-candidates.ts';

describe('the versions of an engine', () => {
  const parts = { kind: 'docker', engine: '29.4.3', containerd: '2.2.0', runc: '1.3.3', desktop: null } as const;
  const problems = (change: object): number => engineProblems({ ...parts, ...change }).length;

  it('are checked against their known faults', () => {
    expect(problems({})).toBe(0);
    expect([
      problems({ engine: '20.10.24+dfsg1' }),
      problems({ engine: '29.4.1' }),
      problems({ engine: '29.4.2' }),
      problems({ engine: '30.0.0' }),
    ]).toEqual([1, 1, 0, 0]);
    expect(
      ['1.1.5+ds1', '1.2.7', '1.2.8', '1.3.0', '1.3.2', '1.3.3', '1.4.0'].map((runc) => problems({ runc })),
    ).toEqual([2, 1, 0, 1, 1, 0, 0]);
    expect(
      ['1.6.20~ds1', '1.7.28', '1.7.29', '2.0.6', '2.1.5', 'v2.3.1'].map((containerd) => problems({ containerd })),
    ).toEqual([1, 1, 0, 1, 0, 0]);
    expect(['4.9', '4.44.2', '4.44.3', '4.71.0'].map((desktop) => problems({ desktop }))).toEqual([2, 2, 1, 0]);
    expect(problems({ kind: 'podman', engine: '4.3.1', runc: null })).toBe(0);
  });

  it('are reported with their known faults', () => {
    expect(engineProblems({ ...parts, runc: '1.2.3' })).toEqual([
      'runc 1.2.3 is older than 1.2.8 or 1.3.3: CVE-2025-31133, -52565 and -52881: ways out of a container through parts of /proc.',
    ]);
  });

  it('are not judged when they cannot be read', () => {
    expect([isOlder('dev', '1.0.0'), isOlder('', '1.0.0'), isOlder('v1.2.3-rc.1', '1.2.4')]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('the user that commands run as', () => {
  const engine = { kind: 'docker', rootless: false, remapsUsers: false, desktop: null } as const;
  const owner = { uid: 1000, gid: 100 };
  const inWords = (change: object, who = owner, platform: NodeJS.Platform = 'linux'): string[] =>
    userCandidates({ ...engine, ...change }, who, platform).map(
      ({ user, userns }) => `${user.uid}:${user.gid}${userns === '' ? '' : ` ${userns}`}`,
    );

  it('is the owner of the project first, and then what the engine allows', () => {
    expect(inWords({})).toEqual(['1000:100', '0:0']);
    expect(inWords({}, { uid: 0, gid: 0 })).toEqual(['0:0']);
    expect(inWords({ rootless: true })).toEqual(['0:0', '1000:100']);
    expect(inWords({ rootless: true, kind: 'podman' })).toEqual(['1000:100 keep-id', '0:0']);
    expect(inWords({ remapsUsers: true })).toEqual(['1000:100 host', '1000:100', '0:0']);
    expect(inWords({ desktop: { version: null } }, { uid: 501, gid: 20 }, 'darwin')).toEqual([
      '501:20',
      '1000:1000',
      '0:0',
    ]);
    expect(inWords({}, { uid: 0, gid: 0 }, 'win32')).toEqual(['1000:1000', '0:0']);
  });

  it('is described for every kind of engine, also for a project of root', () => {
    const owner = 'the owner of the project (0:0 where it belongs to root), without any capability.';
    const others = 'without any capability; in a project that belongs to root, they cannot write.';
    expect(
      [{}, { desktop: { version: null } }, { remapsUsers: true }].map((change) => usersText({ ...engine, ...change })),
    ).toEqual([
      `Commands run as ${owner}`,
      `Commands run as ${owner}`,
      `Its mapping of users is switched off for these containers: commands run as ${owner}`,
    ]);
    expect(usersText({ ...engine, rootless: true })).toBe(
      `Commands run as 0:0 of the container, which is you on this machine, ${others}`,
    );
    expect(usersText({ ...engine, rootless: true, kind: 'podman' })).toBe(
      `Commands run as you, with your own number, ${others}`,
    );
  });
});
