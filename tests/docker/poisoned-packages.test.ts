import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none } from './docker-kit.ts';
import { minutes, openPackages, run, type PackagesUnderTest } from './packages-kit.ts';

const site = '/deps/python/lib/python3.11/site-packages';
/** Leaves its mark in the project whenever a Python loads it. */
const poison = "import os; open('/workspace/POISONED', 'a')";
const plant = `echo "${poison}" > ${site}/evil.pth`;

/** What a session tries with its packages, and with every place where a later session could find something. */
const attacks: readonly string[] = [
  plant,
  `cp poison.py ${site}/sitecustomize.py`,
  `cp poison.py ${site}/six.py`,
  `echo "${poison}" >> ${site}/six.py`,
  `rm -rf ${site}`,
  `mv ${site} ${site}-old; mkdir ${site}; cp poison.py ${site}/six.py`,
  `ln -s /workspace/poison.py ${site}/sitecustomize.py`,
  `ln poison.py ${site}/sitecustomize.py`,
  `ln -sfn /workspace/poison.py /deps/python/bin/python`,
  `cp /bin/sh /deps/python/bin/python3`,
  `chmod -R a+w /deps/python; ${plant}`,
  `chown -R "$(id -u)" /deps; ${plant}`,
  `mount -o remount,rw /deps/python; ${plant}`,
  `umount /deps/python; ${plant}`,
  `umount -l /deps; mkdir -p ${site}; ${plant}`,
  `mount --bind /tmp ${site}; ${plant}`,
  `unshare -Urm sh -c 'mount -o remount,rw,bind /deps/python; ${plant.replaceAll("'", '"')}'`,
  `mv /deps /deps-old; mkdir -p ${site}; ${plant}`,
  `echo "${poison}" > /proc/self/root${site}/evil.pth`,
  `echo "${poison}" > /proc/1/root${site}/evil.pth`,
  `exec 3<${site}/six.py; echo "${poison}" > /proc/self/fd/3`,
  `python3 -c "import os; os.truncate('${site}/six.py', 0)"`,
  `python3 -c "import os; d=os.open('${site}', os.O_RDONLY); os.open('evil.pth', os.O_CREAT|os.O_WRONLY, dir_fd=d)"`,
  `python3 -c "import ctypes; print(ctypes.CDLL(None).mount(None, b'/deps/python', None, 32|4096, None))"; ${plant}`,
  `dd if=/dev/zero of=${site}/six.py bs=1 count=1 conv=notrunc`,
  `python3 -m pip uninstall -y six`,
  `python3 -m pip install --no-index --no-deps --target ${site} .`,
  `python3 -c "import py_compile; py_compile.compile('poison.py', cfile='${site}/__pycache__/six.cpython-311.pyc')"`,
  `setsid sh -c 'while :; do cp poison.py ${site}/sitecustomize.py; sleep 0.05; done' >/dev/null 2>&1 &`,
  'mkdir -p /node_modules/evil && cp poison.py /node_modules/evil/',
  'mkdir -p ~/.local/lib/python3.11/site-packages && cp poison.py ~/.local/lib/python3.11/site-packages/usercustomize.py',
  'for f in ~/.bashrc ~/.profile ~/.bash_profile; do echo "touch /workspace/POISONED" >> $f; done',
  'mkdir -p ~/.config/pip; printf "[install]\\ntarget = /workspace\\n" > ~/.config/pip/pip.conf',
  'for d in /tmp /scratch /run /etc /usr/lib/python3 /usr/local/lib/python3.11/dist-packages; do cp poison.py $d/sitecustomize.py; done',
  'for d in /usr/local/bin /usr/bin /deps/python/bin; do printf "#!/bin/sh\\ntouch /workspace/POISONED\\n" > $d/pytest; done',
];

/** The name, mode, time, link and bytes of everything installed. */
const state =
  "cd /deps/python && { find . -printf '%p %m %u %T@ %l\\n' | sort; find . -type f | sort | xargs -d '\\n' sha256sum; } | sha256sum";

describe.skipIf(isWithoutEngine)('packages that somebody tries to poison', () => {
  let bed: PackagesUnderTest;
  beforeAll(async () => void (bed = await openPackages()), minutes(3));
  afterAll(() => bed?.close());

  const isPoisoned = (path: string): Promise<boolean> =>
    stat(join(path, 'POISONED')).then(
      () => true,
      () => false,
    );
  /** Everything that starts by itself before the user's command. */
  async function work(sandbox: Sandbox): Promise<void> {
    for (const command of [
      'python3 -c "import six"',
      'bash -lc "python3 -c pass"',
      'bash -ic "python3 -c pass"',
      '/usr/bin/python3 -c pass',
      'pytest --version',
      'python3 -m pip --version',
    ])
      expect(await run(sandbox, command), command).toMatchObject({ code: 0 });
  }

  it('are not changed by a session, whose leftovers the next one does not run', { timeout: minutes(12) }, async () => {
    const path = await bed.project('honest', { 'requirements.txt': 'six\n', 'poison.py': `${poison}\n` });
    expect(await bed.prepare(path)).toEqual(['ready']);
    const before = await bed.session(path, (sandbox) => run(sandbox, state), 'before');
    await bed.session(
      path,
      async (sandbox) => {
        for (const command of attacks) await run(sandbox, command);
        expect(await run(sandbox, state)).toEqual(before);
      },
      'attacker',
    );
    await rm(join(path, 'POISONED'), { force: true });
    await bed.session(
      path,
      async (sandbox) => {
        expect(await run(sandbox, state)).toEqual(before);
        await work(sandbox);
      },
      'victim',
    );
    expect(await isPoisoned(path)).toBe(false);
    const withNetwork = (command: string, sandbox: Sandbox) =>
      sandbox.runWithNetwork({ command, hosts: [], keepsPackages: 'session', timeoutMs: minutes(1) }, none);
    await bed.session(
      path,
      async (sandbox) => {
        // A networked command that installs nothing has the packages read-only, like any other command.
        expect(valueOf(await withNetwork(plant, sandbox)).stderr).toContain('Read-only file system');
        // A command that installs something changes a copy. The copy is dropped if the command fails, and otherwise
        // stays with this session.
        expect(valueOf(await withNetwork(`pip --version; ${plant}; exit 3`, sandbox)).exitCode).toBe(3);
        expect(await run(sandbox, state)).toEqual(before);
        await withNetwork(`pip install --no-index six; ${plant}`, sandbox);
        expect((await run(sandbox, `ls ${site}`)).text).toContain('evil.pth');
      },
      'installer',
    );
    await rm(join(path, 'POISONED'), { force: true });
    await bed.session(
      path,
      async (sandbox) => {
        expect(await run(sandbox, state)).toEqual(before);
        await work(sandbox);
      },
      'later',
    );
    expect(await isPoisoned(path)).toBe(false);
  });

  it('are not shared with another project that has the same lists', { timeout: minutes(12) }, async () => {
    const project = (name: string, tool: string): Promise<string> =>
      bed.project(name, {
        'pyproject.toml':
          '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "twin"\nversion = "1.0"\n',
        'setup.py': 'import sys\nsys.path.insert(0, "tools")\nimport tool\nfrom setuptools import setup\nsetup()\n',
        'tools/tool.py': tool,
        'twin/__init__.py': '',
        'tests/test_twin.py': 'import pytest\n',
      });
    const hostile = await project('hostile', `open("${site}/evil.pth", "w").write("import os")\n`);
    const twin = await project('twin', 'pass\n');
    const states = async (path: string): Promise<readonly string[]> =>
      valueOf(await bed.preparations.parts(path, none)).map((part) => part.state);
    const looked = 'ls /deps/python/lib/python3.11/site-packages 2>&1 | grep -c evil.pth';
    expect(await bed.prepare(hostile)).toEqual(['ready']);
    // The attack is real: it works in its own project.
    expect((await bed.session(hostile, (sandbox) => run(sandbox, looked))).text).toBe('1\n');
    expect([await states(hostile), await states(twin)]).toEqual([['ready'], ['missing']]);
    expect((await bed.session(twin, (sandbox) => run(sandbox, looked))).text).toBe('0\n');
  });
});
