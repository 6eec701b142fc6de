import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeSandbox } from '../contracts/sandbox-contract.ts';
import { otherUser } from '../fakes/other-user.ts';
import { PrivateEngine, smallImage, smallImageCommand } from '../fakes/private-engine.ts';
import { describeOwners } from './describe-owners.ts';
import { isWithoutEngine, output, startSandbox, type DockerTestOptions } from './docker-kit.ts';

const engines = [
  // The container runs without the mapping, because the project may belong to anybody.
  { kind: 'remapped', person: { uid: 1234, gid: 1235 }, runsAs: '1234:1235', rootWrites: true },
  // Root in the container is the person. Root of this machine is `nobody` there.
  { kind: 'rootless', person: { uid: otherUser.uid, gid: otherUser.gid }, runsAs: '0:0', rootWrites: false },
] as const;

// The setup in CI installs what they need, so a missing engine is a failure there, not a skip.
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

    describeOwners({ person, runsAs, rootWrites }, start);
    describeSandbox(`a container of an engine that is ${kind}`, { writes: true, commands: true }, () => start());
  });
}
