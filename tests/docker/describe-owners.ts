import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { UserIds } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { output, ownerOf, type DockerTestOptions, type DockerUnderTest } from './docker-kit.ts';

const run = promisify(execFile);

interface Owners {
  /** The owner of the project. Not root. */
  readonly person: UserIds;
  /** The user that commands run as, by the container's ids. */
  readonly runsAs: string;
  /** Whether commands can write in a project that belongs to root. */
  readonly rootWrites: boolean;
}

/** What must hold for users on an engine that maps user ids. Needs root. */
export function describeOwners(
  { person, runsAs, rootWrites }: Owners,
  start: (options?: DockerTestOptions) => Promise<DockerUnderTest>,
): void {
  it('gives the files of commands to the person, and lets commands change the person’s files', async () => {
    const under = await start({
      prepare: (workspace) => writeFile(join(workspace, 'theirs'), 'old', { mode: 0o600 }),
    });
    try {
      const command = 'echo new > theirs; echo made > made; mkdir folder; id -u; grep CapEff /proc/self/status';
      expect((await output(under.sandbox, command)).split(/\s+/)).toEqual([
        runsAs.split(':')[0],
        'CapEff:',
        '0000000000000000',
        '',
      ]);
      expect(under.sandbox.description.text).toContain(`Commands run as ${runsAs}`);
      const owners = ['theirs', 'made', 'folder'].map((name) => ownerOf(join(under.workspace, name)));
      expect(new Set(await Promise.all(owners))).toEqual(new Set([`${person.uid}:${person.gid}`]));
      expect(await under.text('theirs')).toBe('new\n');
      // The person can delete what a command created, without being root.
      const asPerson = ['--reuid', String(person.uid), '--regid', String(person.gid), '--clear-groups'];
      await run('setpriv', [...asPerson, 'rm', '-r', join(under.workspace, 'made'), join(under.workspace, 'folder')]);
      expect(await output(under.sandbox, 'ls')).toBe('theirs\n');
    } finally {
      await under.close();
    }
  });

  it(`runs as root without any capability where a project belongs to root, which ${rootWrites ? 'can' : 'cannot'} write there`, async () => {
    const under = await start({ owner: { uid: 0, gid: 0 } });
    try {
      expect(under.sandbox.description.text).toContain('Commands run as 0:0, root without any capability');
      const warning = expect.stringMatching(/^Commands cannot write in the project folder/);
      const { warnings } = under.sandbox.description;
      expect(warnings).toEqual(rootWrites ? expect.not.arrayContaining([warning]) : expect.arrayContaining([warning]));
      const made = await output(under.sandbox, 'touch made 2>/dev/null; grep CapEff /proc/self/status; ls');
      expect(made.trim().split(/\s+/)).toEqual(['CapEff:', '0000000000000000', ...(rootWrites ? ['made'] : [])]);
    } finally {
      await under.close();
    }
  });
}
