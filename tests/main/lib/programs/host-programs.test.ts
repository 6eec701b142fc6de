import type { ClientCore } from '../../../fakes/core-client.ts';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editText } from '../../../../src/main/hosts/cli/terminal/edit-text.ts';
import { openInBrowser } from '../../../../src/main/hosts/cli/commands/serve.command.ts';
import { itemsOf, openClientCore } from '../../../fakes/core-client.ts';
import { createMachineProbe, readHardware } from '../../../../src/main/models/machine/hardware.ts';
import { createLlamaEngine } from '../../../../src/main/models/engine/llama-engine.ts';
import { createOwnOllamaServer } from '../../../../src/main/models/engine/own-ollama-server.ts';
import { createHostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import type { HostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createKeyClient } from '../../../../src/main/safety/keys/key-client.ts';
import type { PlantedProject } from '../../../fakes/planted-project.ts';
import { plantProject } from '../../../fakes/planted-project.ts';

/**
 * Catches: a host program that is found in a project's folder or loads a file from it. Everything that Dewpoint starts
 * is started here with such a folder as the current one.
 */
const never = new AbortController().signal;
const keys = {
  OPENAI_API_KEY: 'sk-planted-1',
  ANTHROPIC_API_KEY: 'sk-planted-2',
  HF_TOKEN: 'hf_planted',
  NVIDIA_API_KEY: 'nvapi-planted',
  OLLAMA_API_KEY: 'key=planted=3',
  GITHUB_TOKEN: 'key=planted=4',
  AWS_SECRET_ACCESS_KEY: 'key=planted=5',
  CUDA_SECRET_KEY: 'key=planted=6',
};

let base = '';
let planted: PlantedProject;
let before: { readonly folder: string; readonly env: NodeJS.ProcessEnv };
let env: Readonly<Record<string, string>>;
let programs: HostPrograms;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-planted-')));
  planted = await plantProject(base);
  before = { folder: process.cwd(), env: { ...process.env } };
  const person = join(base, 'person');
  await mkdir(person);
  env = {
    ...planted.env,
    ...keys,
    HOME: person,
    DEWPOINT_HOME: join(base, 'home'),
    // Nothing answers there, and the retries are off, so that the test does not wait long.
    PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
    PIP_RETRIES: '0',
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
    DOCKER_HOST: `unix://${base}/none.sock`,
  };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(planted.folder);
  programs = createHostPrograms({ home: join(base, 'home'), env });
});

afterEach(async () => {
  process.chdir(before.folder);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before.env);
  await rm(base, { recursive: true, force: true });
});

const cleanOf = ({ NODE_OPTIONS: _node, PYTHONPATH: _path, ...rest }: Readonly<Record<string, string>>) => rest;

const at = (path: string): string => resolve(before.folder, path);

/** A Node script that records its working folder, arguments and environment. */
async function witness(): Promise<{ readonly path: string; seen(): Promise<Seen> }> {
  const [path, file] = [join(base, 'witness.mjs'), join(base, 'seen.json')];
  const text = `import { renameSync, writeFileSync } from 'node:fs';
    writeFileSync('${file}.new', JSON.stringify({ cwd: process.cwd(), env: process.env }));
    renameSync('${file}.new', '${file}');
    process.on('disconnect', () => process.exit(0));
    setInterval(() => {}, 1000);`;
  await writeFile(path, text);
  return {
    path,
    seen: async () => {
      await expect.poll(() => existsSync(file)).toBe(true);
      return JSON.parse(await readFile(file, 'utf8'));
    },
  };
}

interface Seen {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const noKeyIn = (seen: Seen): void => {
  const text = JSON.stringify(seen.env);
  expect(Object.values(keys).filter((key) => text.includes(key))).toEqual([]);
  const dangerous = Object.keys(seen.env).filter((name) =>
    /^(?:NODE_OPTIONS|PYTHON|LD_|DYLD_|npm_|INIT_CWD)/u.test(name),
  );
  expect(dangerous).toEqual([]);
  expect(seen.env.PATH).toBe('/usr/local/bin:/usr/bin:/bin');
  expect(seen.cwd).toBe(join(base, 'home', 'empty'));
};

describe('Dewpoint in a folder with hostile programs runs none of them', () => {
  async function withCore(work: (core: ClientCore) => Promise<unknown>): Promise<void> {
    const notices: string[] = [];
    const core = await openClientCore({
      home: join(base, 'home'),
      cache: join(base, 'cache'),
      version: '0.0.0-test',
      onNotice: (text) => notices.push(text),
      env,
    });
    try {
      await work(core);
    } finally {
      await core.dispose();
    }
  }

  // Even with a search path without the project, Python by itself would load modules from the current folder.
  it.each([['as it is'], ['without the project']])(
    'when a model is fetched by pip, the search path %s',
    async (path) => {
      if (path !== 'as it is') env = { ...cleanOf(env), PATH: '/usr/local/bin:/usr/bin:/bin' };
      await withCore(async (core) => {
        const models = await core.client.models.list();
        const starter = models.find(({ state }) => state === 'downloadable')?.id ?? '';
        const pulling = itemsOf(core.client.models.pull({ id: starter }));
        await expect(pulling).rejects.toMatchObject({ data: { code: 'network' } });
      });
      expect(await planted.ran()).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'when a library for cards is fetched, and npm is asked from where',
    async () => {
      await withCore((core) =>
        expect(itemsOf(core.client.models.pull({ id: 'engine/vulkan' }))).rejects.toMatchObject({
          data: { code: 'network' },
        }),
      );
      expect(await planted.ran()).toEqual([]);
    },
  );

  it('when the machine is looked at', async () => {
    await withCore((core) => core.client.doctor());
    await readHardware([], never, createMachineProbe(programs));
    expect(await planted.ran()).toEqual([]);
  });

  it('when an Ollama is looked for or started', async () => {
    const seen = await witness();
    const program = join(base, 'ollama');
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${seen.path}\n`);
    await chmod(program, 0o755);
    const own = createOwnOllamaServer({
      nodePath: process.execPath,
      guardPath: at('src/main/models/engine/server-guard.ts'),
      programs,
      env,
      platform: process.platform,
    });
    expect([await own.find(undefined), await own.find('./ollama'), await own.find('bin/ollama')]).toEqual([
      null,
      null,
      null,
    ]);
    const answers = async (): Promise<boolean> => existsSync(join(base, 'seen.json'));
    expect(await own.start({ program, host: '127.0.0.1:9', answers }, never)).toMatchObject({ ok: true });
    noKeyIn(await seen.seen());
    await own.dispose();
    expect(await planted.ran()).toEqual([]);
  });

  it('when the engine starts, which gets no key', async () => {
    const seen = await witness();
    const cards = { CUDA_VISIBLE_DEVICES: '1', HIP_VISIBLE_DEVICES: '0', GGML_VK_VISIBLE_DEVICES: '0' };
    const engine = createLlamaEngine({
      nodePath: process.execPath,
      workerPath: seen.path,
      programs: createHostPrograms({ home: join(base, 'home'), env: { ...env, ...cards } }),
      now: () => 0,
    });
    const stop = new AbortController();
    const asked = engine.cards(stop.signal);
    const found = await seen.seen();
    stop.abort();
    await asked;
    await engine.dispose();
    noKeyIn(found);
    expect(found.env).toMatchObject(cards);
    expect(await planted.ran()).toEqual([]);
  });

  it('when a model is fetched from a hub, by a process that has only its token', async () => {
    const seen = await witness();
    const engine = createLlamaEngine({ nodePath: process.execPath, workerPath: seen.path, programs, now: () => 0 });
    const done = engine.download('hf:a/b/c.gguf', join(base, 'c.gguf'), { signal: never, onProgress: () => undefined });
    const { env: given } = await seen.seen();
    await engine.dispose();
    await done;
    const names = Object.keys(given).filter((name) => /key|token|secret/iu.test(name));
    expect(names).toEqual(['HF_TOKEN']);
    expect(await planted.ran()).toEqual([]);
  });

  it('when the key store is asked', async () => {
    const seen = await witness();
    const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus', XDG_RUNTIME_DIR: '/run/user/1', DISPLAY: ':9' };
    const client = createKeyClient({
      nodePath: process.execPath,
      processPath: seen.path,
      programs: createHostPrograms({ home: join(base, 'home'), env: { ...env, ...bus } }),
    });
    const asked = client.call({ type: 'get', service: 's', account: 'a' }, 20_000);
    const found = await seen.seen();
    client.dispose();
    await asked;
    noKeyIn(found);
    expect(found.env).toMatchObject(bus);
    expect(await planted.ran()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('when the browser is opened', async () => {
    const opener = (path: string): HostPrograms =>
      createHostPrograms({ home: join(base, 'home'), env: { ...env, BROWSER: 'firefox', PATH: path } });
    expect(await openInBrowser('http://127.0.0.1:9/', join(base, 'door.html'), opener(planted.path))).toBe(false);
    const [tools, said] = [join(base, 'tools'), join(base, 'opened')];
    await mkdir(tools);
    await writeFile(
      join(tools, 'xdg-open'),
      `#!/bin/sh\necho "$PWD $1" > ${said}.new\nenv >> ${said}.new\nmv ${said}.new ${said}\n`,
    );
    await chmod(join(tools, 'xdg-open'), 0o755);
    const own = opener(`${planted.path}:${tools}:/usr/bin:/bin`);
    expect(await openInBrowser('http://127.0.0.1:9/', join(base, 'door.html'), own)).toBe(true);
    await expect.poll(() => existsSync(said)).toBe(true);
    const text = await readFile(said, 'utf8');
    expect(text).toContain(`${join(base, 'home', 'empty')} file://${join(base, 'door.html')}`);
    expect(text).toContain('BROWSER=firefox');
    expect(Object.values(keys).filter((key) => text.includes(key))).toEqual([]);
    expect(await planted.ran()).toEqual([]);
  });

  it('when a person edits a plan', async () => {
    await expect(editText('1. a step', 'plan.md', { ...env, EDITOR: 'planted-editor' })).rejects.toThrow(
      'Nothing was changed',
    );
    expect(await planted.ran()).toEqual([]);
    expect(await editText('1. a step', 'plan.md', { ...env, EDITOR: 'printf more >>' })).toBe('1. a stepmore');
  });

  it('when the project is searched', async () => {
    process.env.RIPGREP_CONFIG_PATH = join(planted.folder, '.ripgreprc');
    const sandbox = createReadOnlySandbox({ workspacePath: planted.folder, because: null });
    const found = await sandbox.files.search({ pattern: 'planted' }, never);
    expect(found).toMatchObject({ ok: true });
    await sandbox.dispose();
    expect(await planted.ran()).toEqual([]);
  });

  it('when a script builds the sandbox image or prepares the start', async () => {
    const run = promisify(execFile);
    const { NODE_OPTIONS: _own, ...rest } = env;
    const options = { cwd: planted.folder, env: { ...rest, DEWPOINT_CACHE: join(base, 'cache') } };
    await run(process.execPath, [at('scripts/setup/sandbox-image.mjs'), '--json'], options).catch(() => undefined);
    const text = `import { capture, has, start, stream } from '${at('scripts/setup/run.mjs')}';
      import { findCard } from '${at('scripts/setup/card.mjs')}';
      import { startDisplay } from '${at('scripts/setup/display.mjs')}';
      for (const name of ['npm', 'docker', 'planted-editor']) capture(name, ['--version']);
      await stream('planted-editor', [], { quiet: true });
      start('planted-editor', [], { stdio: 'ignore' });
      findCard();
      const display = await startDisplay();
      if (display.ok) await display.stop();
      console.log(has('planted-editor'), process.cwd());`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], options);
    expect(stdout.trim()).toBe(`false ${planted.folder}`);
    expect(await planted.ran()).toEqual([]);
  });

  it('when a program lies in the folder of another session', async () => {
    const other = join(base, 'other');
    await mkdir(other);
    await writeFile(join(other, 'nvidia-smi'), '#!/bin/sh\nexit 0\n');
    await chmod(join(other, 'nvidia-smi'), 0o755);
    const path = { PATH: `${other}:/usr/bin:/bin` };
    const careful = createHostPrograms({ home: join(base, 'home'), env: path, projects: async () => [other] });
    const found = createHostPrograms({ home: join(base, 'home'), env: path });
    expect(await found.find('nvidia-smi')).toBe(join(other, 'nvidia-smi'));
    expect(await careful.find('nvidia-smi')).not.toBe(join(other, 'nvidia-smi'));
    const { stdout } = await careful.run(['env'], [], { needs: [], signal: never });
    expect(stdout).toContain('PATH=/usr/bin:/bin\n');
  });
});

describe('programs on the host', () => {
  it('start in an empty folder that nobody else can write to', async () => {
    const stand = async (): Promise<string> =>
      (await programs.run(['/bin/sh'], ['-c', 'pwd'], { needs: [], signal: never })).stdout.trim();
    const first = join(base, 'home', 'empty');
    expect(await stand()).toBe(first);
    expect((await stat(first)).mode & 0o777).toBe(0o700);
    await writeFile(join(first, 'python3'), 'planted');
    expect(await stand()).toBe(`${first}-2`);
    await chmod(`${first}-2`, 0o777);
    expect(await stand()).toBe(`${first}-3`);
    expect([await readdir(first), await planted.ran()]).toEqual([['python3'], []]);
  });

  it('are not started by a path that depends on the current folder', async () => {
    const how = { needs: [], signal: never } as const;
    for (const program of ['./sh', 'bin/sh', `../${planted.folder}/sh`])
      expect(await programs.run([program], [], how)).toMatchObject({ code: null });
    expect(await planted.ran()).toEqual([]);
  });

  /** Catches: a program that is waited for as long as what it started in the background lives. */
  it.skipIf(process.platform === 'win32')(
    'are waited for no longer than their time, also if what they started holds their output open',
    async () => {
      const programs = createHostPrograms({ home: base, env: { PATH: '/usr/bin:/bin' } });
      const script = join(base, 'lingers');
      const number = join(base, 'number');
      await writeFile(script, `#!/bin/sh\necho began\nsleep 600 &\necho $! > '${number}'\n`, { mode: 0o755 });
      const ended = await programs.run([script], [], { needs: [], timeoutMs: 2_000, signal: never });
      expect(ended).toMatchObject({ code: 0, stdout: 'began\n' });
      process.kill(Number(await readFile(number, 'utf8')));
    },
  );

  it('pass a mirror and a proxy on only to pip and npm', async () => {
    const own = {
      https_proxy: 'http://proxy',
      PIP_CERT: '/ca.pem',
      npm_config_cafile: '/ca.pem',
      NPM_TOKEN: 'for-npm',
    };
    const apart = createHostPrograms({ home: join(base, 'home'), env: { ...env, ...own } });
    const given = async (...needs: ('network' | 'pip' | 'npm')[]): Promise<readonly string[]> => {
      const { stdout } = await apart.run(['env'], [], { needs, signal: never });
      const names = stdout.split('\n').map((line) => line.split('=')[0] ?? '');
      return names.filter((name) => /^(?:pip|npm)_|proxy/iu.test(name)).sort();
    };
    expect(await given()).toEqual([]);
    expect(await given('network', 'pip')).toEqual(['PIP_CERT', 'PIP_INDEX_URL', 'PIP_RETRIES', 'https_proxy']);
    const npm = ['NPM_TOKEN', 'npm_config_cafile', 'npm_config_fetch_retries', 'npm_config_registry'];
    expect(await given('npm')).toEqual(npm);
  });

  it('are found below the home folder, also when a person works in it', async () => {
    await mkdir(join(base, 'home-folder', '.local', 'bin'), { recursive: true });
    const tool = join(base, 'home-folder', '.local', 'bin', 'python3');
    await writeFile(tool, '#!/bin/sh\n');
    await chmod(tool, 0o755);
    process.chdir(join(base, 'home-folder'));
    process.env.HOME = join(base, 'home-folder');
    const mine = createHostPrograms({
      home: join(base, 'home'),
      env: { PATH: join(base, 'home-folder', '.local', 'bin') },
    });
    expect(await mine.find('python3')).toBe(tool);
  });
});
