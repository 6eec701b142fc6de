import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setupScript } from '../../src/main/recipes/trial/trial-script.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/user/container-identity.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, requireEngine } from './docker-kit.ts';
import { minutes, openPackages, run, type PackagesUnderTest, type Ran } from './packages-kit.ts';

/** Packages come from the configured indexes of this machine. They are small and without dependencies. */
describe.skipIf(isWithoutEngine)('packages of a project', () => {
  let bed: PackagesUnderTest;
  beforeAll(async () => void (bed = await openPackages()), minutes(3));
  afterAll(() => bed?.close());

  it(
    'are installed once for Python after a yes to the exact commands, and found by tests and in copies',
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('snake', {
        'pyproject.toml':
          '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "snake"\nversion = "1.2"\ndependencies = ["iniconfig"]\n',
        // The build creates a module that the project does not have, like compiled modules and version files.
        'setup.py':
          'import os\nfrom setuptools import setup\nfrom setuptools.command.build_py import build_py\n\n\nclass Build(build_py):\n    def run(self):\n        super().run()\n        with open(os.path.join(self.build_lib, "snake", "made.py"), "w") as file:\n            file.write("SIZE = 3\\n")\n\n\nsetup(cmdclass={"build_py": Build})\n',
        'src/snake/__init__.py': 'import iniconfig\n\n\ndef size():\n    return 3\n',
        'tests/test_size.py':
          'import importlib.metadata\nimport os\n\nimport snake\nimport snake.made\n\n\ndef test_size():\n    assert snake.size() == snake.made.SIZE == 3\n    assert importlib.metadata.version("snake") == "1.2"\n    assert snake.__file__.startswith(os.getcwd())\n',
      });
      const plan = valueOf(await bed.preparations.plan({ projectPath: path, hosts: [] }, none));
      expect(plan.parts.map(({ state, commands }) => [state, commands])).toEqual([
        [
          'missing',
          [
            'python3 -m venv /deps/python',
            '/deps/python/bin/python -m pip install .',
            '/deps/python/bin/python -m pip install pytest',
          ],
        ],
      ]);
      expect(plan.hosts.length).toBeGreaterThan(0);
      await bed.session(path, async (sandbox) => {
        expect(sandbox.description.warnings.join()).toContain(`dewpoint projects prepare ${path}`);
        expect((await run(sandbox, 'python3 -m pytest -q')).code).not.toBe(0);
      });
      const forged = { projectPath: path, hosts: [], approval: 'f'.repeat(64), onProgress: () => undefined };
      expect(await bed.preparations.prepare(forged, none)).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(await bed.volumes()).toEqual([]);

      expect(await bed.prepare(path)).toEqual(['ready']);
      await bed.session(path, async (sandbox) => {
        expect(sandbox.description.warnings).toEqual([]);
        for (const command of [
          'python3 -m pytest -q',
          'pytest -q',
          'cd tests && python -m pytest -q --rootdir .. -k none; true',
        ])
          expect(await run(sandbox, command)).toMatchObject({ code: 0 });
        // The tests of a changed copy test the changed text.
        const trial = 'cp -a /workspace /scratch/trial && cd /scratch/trial && sed -i s/3/4/ src/snake/__init__.py';
        expect((await run(sandbox, `${trial} && python3 -m pytest -q`)).text).toContain('assert 4 == 3');
        for (const place of ['/deps/python/x', '/deps/python/lib/python3.11/site-packages/iniconfig/x'])
          expect((await run(sandbox, `touch ${place}`)).text).toContain('Read-only file system');
        expect((await run(sandbox, 'ls /sys/class/net')).text).toBe('lo\n');
      });
    },
  );

  // Catches: tests of a project without pyproject.toml that test the installed copy, whatever the agent changes.
  it('of a project with a setup.py alone leave the project itself to be tested', { timeout: minutes(12) }, async () => {
    const path = await bed.project('adder', {
      'setup.py':
        "from setuptools import setup\n\nsetup(name='adder-two', version='1.2', packages=['adder_two'], package_dir={'': 'src'})\n",
      'src/adder_two/__init__.py': 'def size():\n    return 3\n',
      'test_size.py':
        'import importlib.metadata\n\nimport adder_two\n\n\ndef test_size():\n    assert adder_two.size() == 4\n    assert importlib.metadata.version("adder-two") == "1.2"\n',
    });
    expect(await bed.prepare(path)).toEqual(['ready']);
    await bed.session(path, async (sandbox) => {
      expect((await run(sandbox, 'python3 -m pytest -q')).text).toContain('assert 3 == 4');
      await run(sandbox, 'sed -i s/3/4/ src/adder_two/__init__.py');
      expect(await run(sandbox, 'python3 -m pytest -q')).toMatchObject({ code: 0 });
    });
  });

  const javascript = (lock: string): Readonly<Record<string, string>> => ({
    'package.json':
      '{"name": "hare", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test", "prepare": "exit 7"}, "dependencies": {"is-number": "*"}}',
    'package-lock.json': lock,
    'test/number.test.js':
      'import assert from "node:assert";\nimport test from "node:test";\nimport isNumber from "is-number";\ntest("number", () => assert(isNumber(3)));\n',
  });
  const lockOf = (version: string): string =>
    JSON.stringify({
      name: 'hare',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'hare', version: '1.0.0', dependencies: { 'is-number': '*' } },
        'node_modules/is-number': { version },
      },
    });

  it(
    'are installed from the lock for JavaScript, and again when the lock changes',
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('hare', javascript(lockOf('7.0.0')));
      expect(await bed.prepare(path)).toEqual(['ready']);
      const [first] = await bed.volumes();
      await bed.session(path, async (sandbox) => {
        expect(await run(sandbox, 'npm test --silent')).toMatchObject({ code: 0 });
        const trial = 'cp -a /workspace /scratch/trial && cd /scratch/trial && npm test --silent';
        expect(await run(sandbox, trial)).toMatchObject({ code: 0 });
        expect((await run(sandbox, 'touch /node_modules/is-number/x')).text).toContain('Read-only file system');
        // Packages in use are kept, and reported as such.
        expect(
          valueOf(await bed.preparations.clean({ remove: 'all' }, none)).map(({ isRemoved }) => isRemoved),
        ).toContain(false);
      });
      expect((await run0(path, 'cat /node_modules/is-number/package.json')).text).toContain('"version": "7.0.0"');

      await bed.project('hare', javascript(lockOf('6.0.0')));
      await bed.session(path, async (sandbox) => {
        expect(sandbox.description.warnings.join()).toContain('package-lock.json changed since');
        expect(await run(sandbox, 'npm test --silent')).toMatchObject({ code: 0 });
      });
      expect(await bed.prepare(path)).toEqual(['ready']);
      expect((await run0(path, 'cat /node_modules/is-number/package.json')).text).toContain('"version": "6.0.0"');
      const kept = valueOf(await bed.preparations.clean({ remove: 'unneeded' }, none)).filter(({ name }) =>
        name.startsWith(path),
      );
      expect(kept.map(({ unneeded, isRemoved }) => [unneeded, isRemoved])).toEqual([
        [null, false],
        ['a newer one exists', true],
      ]);
      expect(await bed.volumes()).not.toContain(first);
      expect((await run0(path, 'npm test --silent')).code).toBe(0);
    },
  );

  it('are reported to the person and the model when they cannot be installed', { timeout: minutes(12) }, async () => {
    const before = await bed.volumes();
    const path = await bed.project('ghost', javascript(lockOf('99.99.99')));
    const [reason] = await bed.prepare(path);
    expect(reason).toContain('npm ci: it ended with code');
    expect(await bed.volumes()).toEqual(before);
    await bed.session(path, async ({ description }) => {
      expect(description.absent?.join()).toContain(
        'JavaScript packages of this project could not be installed: it ended',
      );
      expect(description.warnings.join()).toContain('Try again: dewpoint projects prepare');
    });
  });

  it('are found by each folder below the top in its own versions', { timeout: minutes(12) }, async () => {
    const in_ = (folder: string, version: string): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(javascript(lockOf(version))).map(([name, text]) => [`${folder}/${name}`, text]),
      );
    const path = await bed.project('house', {
      ...in_('admin', '6.0.0'),
      ...in_('apps/web', '7.0.0'),
      'backend/requirements.txt': 'toolz\n',
      'backend/try.py': 'import toolz\n',
    });
    expect(await bed.prepare(path)).toEqual(['ready', 'ready', 'ready']);
    const version = 'grep -h version node_modules/is-number/package.json /node_modules/is-number/package.json';
    await bed.session(path, async (sandbox) => {
      expect(sandbox.description.warnings).toEqual([]);
      for (const command of [
        'cd admin && npm test --silent',
        'cd apps/web && npm test --silent',
        'python3 backend/try.py',
      ])
        expect(await run(sandbox, command)).toMatchObject({ code: 0 });
      expect((await run(sandbox, `cd apps/web && ${version}`)).text.match(/\d\.0\.0/g)).toEqual(['7.0.0', '6.0.0']);
      expect((await run(sandbox, 'touch apps/web/node_modules/x')).text).toContain('Read-only file system');
      expect(
        valueOf(await sandbox.files.list('.', { depth: 4 }, none)).entries.map((entry) => entry.path),
      ).not.toContain('apps/web/node_modules/is-number');
    });
    // A second session finds the empty folder for the mount, and mounts the packages again.
    expect(await run0(path, 'cd apps/web && npm test --silent')).toMatchObject({ code: 0 });
  });

  const member = (name: string, more: object): string => JSON.stringify({ name, version: '1.0.0', ...more });
  const members = (lib: string): Readonly<Record<string, string>> => ({
    'packages/lib/package.json': member('@herd/lib', { main: 'lib.js' }),
    'packages/lib/lib.js': 'module.exports = "theirs";\n',
    'packages/app/package.json': member('app', { dependencies: { '@herd/lib': lib, 'is-number': '7.0.0' } }),
    'packages/app/app.js': 'console.log(require("@herd/lib"), require("is-number")(3));\n',
  });

  it(
    'are found by the members of an npm workspace, in the project and in a trial of it',
    { timeout: minutes(12) },
    async () => {
      const path = await bed.project('herd', {
        ...members('*'),
        'package.json': '{"name": "herd", "private": true, "workspaces": ["packages/*"]}',
        'packages/old/package.json': member('old', { dependencies: { 'is-number': '6.0.0' } }),
      });
      expect(await bed.prepare(path)).toEqual(['ready']);
      await bed.session(path, async (sandbox) => {
        expect(sandbox.description.notes?.join()).toMatch(/need another is-number than the others/);
        expect((await run(sandbox, 'cd packages/app && node app.js')).text).toBe('theirs true\n');
        expect((await run(sandbox, 'sed -i s/theirs/mine/ packages/lib/lib.js; node packages/app/app.js')).text).toBe(
          'mine true\n',
        );
        const paths = { trial: '/scratch/trial', workFolder: '/scratch/work' };
        const trial = [
          setupScript('/workspace', paths),
          'cd /scratch/trial',
          'sed -i s/mine/tried/ packages/lib/lib.js',
        ];
        expect((await run(sandbox, [...trial, 'node packages/app/app.js'].join('\n'))).text).toBe('tried true\n');
        expect((await run(sandbox, 'node packages/app/app.js')).text).toBe('mine true\n');
        // Installed by the user in the project itself.
        const own = 'mkdir -p node_modules/@herd node_modules/plain && ln -s ../../packages/lib node_modules/@herd/lib';
        const plain = 'echo module.exports = 1 > node_modules/plain/index.js';
        const ask = "node -p \"require('@herd/lib') + require('plain')\"";
        expect((await run(sandbox, [own, plain, ...trial, ask].join('\n'))).text).toBe('tried1\n');
        expect((await run(sandbox, ask)).text).toBe('mine1\n');
      });
    },
  );

  it('are found by the members of a pnpm workspace whose store lies elsewhere', { timeout: minutes(12) }, async () => {
    const path = await bed.project('flock', {
      ...members('workspace:*'),
      'package.json': '{"name": "flock", "private": true}',
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'pnpm-lock.yaml': `lockfileVersion: '9.0'
settings: {autoInstallPeers: true, excludeLinksFromLockfile: false}
importers:
  .: {}
  packages/app:
    dependencies:
      '@herd/lib': {specifier: 'workspace:*', version: 'link:../lib'}
      is-number: {specifier: 7.0.0, version: 7.0.0}
  packages/lib: {}
packages:
  is-number@7.0.0:
    resolution: {integrity: sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==}
snapshots:
  is-number@7.0.0: {}
`,
    });
    expect(await bed.prepare(path)).toEqual(['ready']);
    expect(await run0(path, 'cd packages/app && node app.js')).toEqual({ code: 0, text: 'theirs true\n' });
  });

  it('are removed by clean when their installation was killed', async () => {
    const owner = '4194305:1';
    const Labels = { 'dewpoint.dependencies': homeIdOf(bed.home), 'dewpoint.owner': owner };
    const Name = `dewpoint-deps-${homeIdOf(bed.home)}-00`;
    await requireEngine().docker.createVolume({ Name, Labels });
    const removed = valueOf(await bed.preparations.clean({ remove: 'unneeded' }, none)).filter(
      ({ kind }) => kind === 'unfinished',
    );
    expect(removed.map(({ name, isRemoved }) => [name, isRemoved])).toEqual([[Name, true]]);
    expect(await bed.volumes()).not.toContain(Name);
  });

  function run0(path: string, command: string): Promise<Ran> {
    return bed.session(path, (sandbox) => run(sandbox, command));
  }
});
