import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSandbox } from '../contracts/sandbox-contract.ts';
import { otherUser } from '../fakes/other-user.ts';
import { PrivateEngine, smallImage, smallImageCommand } from '../fakes/private-engine.ts';
import { isWithoutEngine, output, ownerOf, startSandbox, type DockerTestOptions } from './docker-kit.ts';

const run = promisify(execFile);

const engines = [
  // The mapping is switched off for the container: it may be anybody's project.
  { kind: 'remapped', person: { uid: 1234, gid: 1235 }, runsAs: '1234:1235', rootWrites: true },
  // Root of the container is the person; root of this machine is nobody there.
  { kind: 'rootless', person: { uid: otherUser.uid, gid: otherUser.gid }, runsAs: '0:0', rootWrites: false },
] as const;

// The set-up brings what they need in CI: there its absence is a failure, not a skip.
const isHere = async (kind: 'remapped' | 'rootless'): Promise<boolean> =>
  !isWithoutEngine && (process.env['CI'] !== undefined || (await PrivateEngine.isPossible(kind)));
const possible = await Promise.all(engines.map(async (one) => ({ ...one, isHere: await isHere(one.kind) })));

for (const { kind, person, runsAs, rootWrites, isHere: isPossible } of possible) {
  describe.skipIf(!isPossible)(`an engine that is ${kind}`, () => {
    let engine: PrivateEngine;
    beforeAll(async () => {
      const [started, maker] = await Promise.all([PrivateEngine.start(kind), startSandbox()]);
      if (started === null) throw new Error('These tests need root, dockerd and what a rootless engine needs.');
      engine = started;
      await output(maker.sandbox, smallImageCommand);
      await engine.bringImage(join(maker.workspace, 'small.tar'));
      await maker.close();
    });
    afterAll(() => engine.close());
    const start = async (options: DockerTestOptions = {}) =>
      startSandbox({ engine: await engine.find(), settings: { image: smallImage }, owner: person, ...options });

    it('runs commands so that their files are the person’s, and the person’s can be changed', async () => {
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
        // The person deletes what a command made, without being root.
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
        expect(warnings).toEqual(
          rootWrites ? expect.not.arrayContaining([warning]) : expect.arrayContaining([warning]),
        );
        const made = await output(under.sandbox, 'touch made 2>/dev/null; grep CapEff /proc/self/status; ls');
        expect(made.trim().split(/\s+/)).toEqual(['CapEff:', '0000000000000000', ...(rootWrites ? ['made'] : [])]);
      } finally {
        await under.close();
      }
    });

    describeSandbox(`a container of an engine that is ${kind}`, { writes: true, commands: true }, () => start());
  });
}
