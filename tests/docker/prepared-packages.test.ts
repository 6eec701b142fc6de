import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/shared/settings.ts';
import { silentLog } from '../../src/main/lib/log.ts';
import { homeIdOf } from '../../src/main/sandbox/docker/identity.ts';
import { createPreparations, type Preparations } from '../../src/main/sandbox/preparations.ts';
import { createSandboxFactory, type SandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { imageSource, isWithoutEngine, none, requireEngine } from './docker-kit.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';

const minutes = (count: number): number => count * 60_000;

/** Packages come from the indexes that this machine is set up for: small ones, without any of their own. */
describe.skipIf(isWithoutEngine)('packages of a project', () => {
  let folder = '';
  let home = '';
  let preparations: Preparations;
  let start: SandboxFactory;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-prepared-')));
    await chmod(folder, 0o755);
    home = join(folder, 'home');
    await mkdir(home);
    const deps = {
      homePath: home,
      resourcesPath: imageSource.resourcesPath,
      imageScript: imageSource.script,
      env: process.env,
      connection: () => ({ proxy: null, certificates: null }),
      masks: async () => [],
      settings: () => settingsSchema.parse({}).sandbox,
      learn: () => undefined,
      onNotice: () => undefined,
      log: silentLog,
    };
    preparations = createPreparations(deps);
    start = createSandboxFactory(deps);
  });
  afterAll(async () => {
    await preparations.clean('all', none);
    expect(await volumes()).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });

  async function volumes(): Promise<readonly string[]> {
    const filters = { label: [`dewpoint.dependencies=${homeIdOf(home)}`] };
    const { Volumes } = await requireEngine().docker.listVolumes({ filters });
    return (Volumes ?? []).map(({ Name }) => Name);
  }

  async function project(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const path = join(folder, name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    }
    return path;
  }

  /** Approves what is planned. */
  async function prepare(projectPath: string): Promise<readonly string[]> {
    const { approval } = valueOf(await preparations.plan({ projectPath, hosts: [] }, none));
    const request = { projectPath, hosts: [], approval, onProgress: () => undefined };
    const { parts } = valueOf(await preparations.prepare(request, none));
    return parts.map(({ state, reason }) => reason ?? state);
  }

  /** A new session each time. */
  async function session<T>(projectPath: string, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const request = { wanted: 'container', needsExecute: true, onLost: () => undefined } as const;
    const settings = settingsSchema.parse({}).sandbox;
    const sandbox = valueOf(
      await start(
        { ...request, sessionId: 's', workspacePath: projectPath, settings, onProgress: () => undefined },
        none,
      ),
    );
    try {
      return await work(sandbox);
    } finally {
      await sandbox.dispose();
    }
  }

  async function run(
    sandbox: Sandbox,
    command: string,
  ): Promise<{ readonly code: number | null; readonly text: string }> {
    const { exitCode, stdout, stderr } = valueOf(await sandbox.exec({ command, timeoutMs: minutes(1) }, none));
    return { code: exitCode, text: stdout + stderr };
  }

  it(
    'of Python: installed once after a word for the exact commands, then found by tests, also in copies',
    { timeout: minutes(5) },
    async () => {
      const path = await project('snake', {
        'pyproject.toml':
          '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "snake"\nversion = "1.2"\ndependencies = ["iniconfig"]\n',
        // Its build makes a module that the project does not have, as compiled ones and version files are made.
        'setup.py':
          'import os\nfrom setuptools import setup\nfrom setuptools.command.build_py import build_py\n\n\nclass Build(build_py):\n    def run(self):\n        super().run()\n        with open(os.path.join(self.build_lib, "snake", "made.py"), "w") as file:\n            file.write("SIZE = 3\\n")\n\n\nsetup(cmdclass={"build_py": Build})\n',
        'src/snake/__init__.py': 'import iniconfig\n\n\ndef size():\n    return 3\n',
        'tests/test_size.py':
          'import importlib.metadata\nimport os\n\nimport snake\nimport snake.made\n\n\ndef test_size():\n    assert snake.size() == snake.made.SIZE == 3\n    assert importlib.metadata.version("snake") == "1.2"\n    assert snake.__file__.startswith(os.getcwd())\n',
      });
      const plan = valueOf(await preparations.plan({ projectPath: path, hosts: [] }, none));
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
      await session(path, async (sandbox) => {
        expect(sandbox.description.warnings.join()).toContain(`dewpoint projects prepare ${path}`);
        expect((await run(sandbox, 'python3 -m pytest -q')).code).not.toBe(0);
      });
      const forged = { projectPath: path, hosts: [], approval: 'f'.repeat(64), onProgress: () => undefined };
      expect(await preparations.prepare(forged, none)).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(await volumes()).toEqual([]);

      expect(await prepare(path)).toEqual(['ready']);
      await session(path, async (sandbox) => {
        expect(sandbox.description.warnings).toEqual([]);
        for (const command of [
          'python3 -m pytest -q',
          'pytest -q',
          'cd tests && python -m pytest -q --rootdir .. -k none; true',
        ])
          expect(await run(sandbox, command)).toMatchObject({ code: 0 });
        // A trial: another text in a copy is what the tests of the copy try.
        const trial = 'cp -a /workspace /scratch/trial && cd /scratch/trial && sed -i s/3/4/ src/snake/__init__.py';
        expect((await run(sandbox, `${trial} && python3 -m pytest -q`)).text).toContain('assert 4 == 3');
        for (const place of ['/deps/python/x', '/deps/python/lib/python3.11/site-packages/iniconfig/x'])
          expect((await run(sandbox, `touch ${place}`)).text).toContain('Read-only file system');
        expect((await run(sandbox, 'ls /sys/class/net')).text).toBe('lo\n');
      });
    },
  );

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
    'of JavaScript: installed from the lock, anew when it changes; what is old is removed by clean alone',
    { timeout: minutes(5) },
    async () => {
      const path = await project('hare', javascript(lockOf('7.0.0')));
      expect(await prepare(path)).toEqual(['ready']);
      const [first] = await volumes();
      await session(path, async (sandbox) => {
        expect(await run(sandbox, 'npm test --silent')).toMatchObject({ code: 0 });
        const trial = 'cp -a /workspace /scratch/trial && cd /scratch/trial && npm test --silent';
        expect(await run(sandbox, trial)).toMatchObject({ code: 0 });
        expect((await run(sandbox, 'touch /node_modules/is-number/x')).text).toContain('Read-only file system');
        // In use: not removed, and said.
        expect(valueOf(await preparations.clean('all', none)).map(({ isRemoved }) => isRemoved)).toContain(false);
      });
      expect((await run0(path, 'cat /node_modules/is-number/package.json')).text).toContain('"version": "7.0.0"');

      await project('hare', javascript(lockOf('6.0.0')));
      await session(path, async (sandbox) => {
        expect(sandbox.description.warnings.join()).toContain('package-lock.json changed since');
        expect(await run(sandbox, 'npm test --silent')).toMatchObject({ code: 0 });
      });
      expect(await prepare(path)).toEqual(['ready']);
      expect((await run0(path, 'cat /node_modules/is-number/package.json')).text).toContain('"version": "6.0.0"');
      const kept = valueOf(await preparations.clean('unneeded', none)).filter(({ name }) => name.startsWith(path));
      expect(kept.map(({ unneeded, isRemoved }) => [unneeded, isRemoved])).toEqual([
        [null, false],
        ['a newer one is there', true],
      ]);
      expect(await volumes()).not.toContain(first);
      expect((await run0(path, 'npm test --silent')).code).toBe(0);
    },
  );

  it(
    'that cannot be installed: the reason is told to the person and the model, and nothing is left',
    { timeout: minutes(3) },
    async () => {
      const before = await volumes();
      const path = await project('ghost', javascript(lockOf('99.99.99')));
      const [reason] = await prepare(path);
      expect(reason).toContain('npm ci: it ended with code');
      expect(await volumes()).toEqual(before);
      await session(path, async ({ description }) => {
        expect(description.notes?.join()).toContain(
          'JavaScript packages of this project could not be installed: it ended',
        );
        expect(description.warnings.join()).toContain('Once more: dewpoint projects prepare');
      });
    },
  );

  it('of an installation that was killed are removed by clean', async () => {
    const owner = '4194305:1';
    const Labels = { 'dewpoint.dependencies': homeIdOf(home), 'dewpoint.owner': owner };
    const Name = `dewpoint-deps-${homeIdOf(home)}-00`;
    await requireEngine().docker.createVolume({ Name, Labels });
    const removed = valueOf(await preparations.clean('unneeded', none)).filter(({ kind }) => kind === 'unfinished');
    expect(removed.map(({ name, isRemoved }) => [name, isRemoved])).toEqual([[Name, true]]);
    expect(await volumes()).not.toContain(Name);
  });

  function run0(path: string, command: string): Promise<{ readonly code: number | null; readonly text: string }> {
    return session(path, (sandbox) => run(sandbox, command));
  }
});
