import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkResult, Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none } from './docker-kit.ts';
import { minutes, openPackages, run, runOut, type PackagesUnderTest } from './packages-kit.ts';

/** Small packages without dependencies, from the configured indexes of this machine. */
describe.skipIf(isWithoutEngine)('packages that a command with a network changes', () => {
  let bed: PackagesUnderTest;
  beforeAll(async () => void (bed = await openPackages()), minutes(3));
  afterAll(() => bed?.close());

  const install = (
    sandbox: Sandbox,
    command: string,
    keepsPackages: 'session' | 'project' = 'project',
  ): Promise<NetworkResult> => runOut(sandbox, command, { hosts: bed.hosts, keepsPackages });

  it(
    'stay for the session, and for later sessions when a person saw the command',
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('adder', { 'main.py': 'import toolz\n' });
      await bed.session(path, async (sandbox) => {
        expect((await run(sandbox, 'python3 main.py')).code).not.toBe(0);
        await run(sandbox, 'echo kept > /scratch/kept');
        const done = await install(sandbox, 'pip install toolz');
        expect(done).toMatchObject({ exitCode: 0, packages: [{ isKept: true }] });
        expect(await run(sandbox, 'python3 main.py && cat /scratch/kept && ls /sys/class/net')).toEqual({
          code: 0,
          text: 'kept\nlo\n',
        });
        expect((await run(sandbox, 'touch /deps/python/x')).text).toContain('Read-only file system');
        expect((await run(sandbox, 'pytest --version')).code).toBe(0);
        // A failed command leaves nothing behind, and restores what was there.
        const failed = await install(sandbox, 'pip install six && rm -rf /deps/python/lib && exit 3');
        expect(failed).toMatchObject({ exitCode: 3, packages: [{ isKept: false }] });
        expect(failed.packages?.[0]?.text).toContain('it ended with code 3');
        expect(await run(sandbox, 'python3 main.py')).toMatchObject({ code: 0 });
        expect((await run(sandbox, 'python3 -c "import six"')).code).not.toBe(0);
      });
      await bed.session(
        path,
        async (sandbox) => {
          expect(await run(sandbox, 'python3 main.py')).toMatchObject({ code: 0 });
          expect(sandbox.description.warnings.join()).toContain('Changed since by "pip install toolz"');
          // Text from a model must not reach the model of another session.
          expect(sandbox.description.notes?.join()).toContain('changed since by 1 approved command.');
          expect(sandbox.description.notes?.join()).not.toContain('toolz');
        },
        'later',
      );
      expect(await bed.volumes()).toHaveLength(1);
      // Another project gets none of it, whatever its files say.
      const twin = await bed.project('twin', { 'main.py': 'import toolz\n' });
      await bed.session(twin, async (sandbox) => expect((await run(sandbox, 'python3 main.py')).code).not.toBe(0));
    },
  );

  it(
    'stay in their own session when nobody saw the command, and are gone after a new preparation',
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('based', { 'requirements.txt': 'six\n' });
      expect(await bed.prepare(path)).toEqual(['ready']);
      const both = 'python3 -c "import six, toolz"';
      await bed.session(
        path,
        async (sandbox) => {
          expect(await install(sandbox, 'pip install toolz', 'session')).toMatchObject({
            packages: [{ isKept: true }],
          });
          expect((await run(sandbox, both)).code).toBe(0);
        },
        'mine',
      );
      await bed.session(path, async (sandbox) => expect((await run(sandbox, both)).code).toBe(0), 'mine');
      await bed.session(
        path,
        async (sandbox) => {
          expect(await run(sandbox, 'python3 -c "import six"')).toMatchObject({ code: 0 });
          expect((await run(sandbox, both)).code).not.toBe(0);
          expect(sandbox.description.warnings).toEqual([]);
          // Packages for other sessions do not include unseen changes: they start from what was prepared.
          await install(sandbox, 'pip install toolz');
        },
        'seen',
      );
      await bed.session(path, async (sandbox) => expect((await run(sandbox, both)).code).toBe(0), 'other');
      const [part] = valueOf(await bed.preparations.parts(path, none));
      expect(part).toMatchObject({ state: 'ready', changedBy: ['pip install toolz'] });
      expect(await bed.prepare(path, true)).toEqual(['ready']);
      await bed.session(
        path,
        async (sandbox) => {
          expect((await run(sandbox, both)).code).not.toBe(0);
          expect(await run(sandbox, 'python3 -c "import six"')).toMatchObject({ code: 0 });
        },
        'other',
      );
    },
  );

  it(
    "lie in the volume when they are of JavaScript, and the project's own files name them",
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('hop', {
        'package.json': '{"name": "hop", "version": "1.0.0", "type": "module", "dependencies": {"is-number": "*"}}',
        'try.js': 'import isNumber from "is-number";\nimport isOdd from "is-odd";\nif (!isOdd(3)) process.exit(9);\n',
      });
      expect(await bed.prepare(path)).toEqual(['ready']);
      await bed.session(path, async (sandbox) => {
        expect(await install(sandbox, 'npm install is-odd')).toMatchObject({
          exitCode: 0,
          packages: [{ isKept: true }],
        });
        expect(await run(sandbox, 'node try.js')).toEqual({ code: 0, text: '' });
      });
      expect(existsSync(join(path, 'node_modules'))).toBe(false);
      expect(await readFile(join(path, 'package.json'), 'utf8')).toContain('is-odd');
      await bed.session(
        path,
        async (sandbox) => expect(await run(sandbox, 'node try.js')).toMatchObject({ code: 0 }),
        'later',
      );
    },
  );
});
