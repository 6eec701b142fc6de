import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A project that plants everything a careless program would run or load, in every way in which PATH can lead to it. */
export interface PlantedProject {
  readonly folder: string;
  /**
   * An environment that a shell may have after visiting the project. Its PATH puts the project before the machine's
   * programs.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The part of that PATH that leads into the project. */
  readonly path: string;
  /** The names of planted files that ran. */
  ran(): Promise<readonly string[]>;
}

const programs =
  `python3 python pip3 pip py npm npx node git docker dockerd podman nvidia-smi rocm-smi ollama tar sh env
  xdg-open open rundll32 reg sysctl taskkill rg nano editor code planted-editor chmod dpkg-query apt-get sudo debootstrap
  Xvfb umount`.split(/\s+/u);

export async function plantProject(base: string): Promise<PlantedProject> {
  const folder = join(base, 'project');
  const [outside, marks] = [join(base, 'outside'), join(base, 'ran')];
  const put = async (path: string, text: string, isProgram = false): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    if (isProgram) await chmod(join(folder, path), 0o755);
  };
  for (const place of ['.', 'bin', '.venv/bin', 'node_modules/.bin']) {
    // In the top folder, `pip` is a folder for Python.
    for (const name of programs.filter((one) => place !== '.' || one !== 'pip')) {
      await put(join(place, name), `#!/bin/sh\necho '${place}/${name}' >> '${marks}'\nexit 0\n`, true);
    }
  }
  const python = (name: string): string => `open('${marks}', 'a').write('${name}\\n')\n`;
  for (const name of ['pip/__init__.py', 'pip/__main__.py', 'sitecustomize.py', 'usercustomize.py', 'startup.py'])
    await put(name, python(name));
  for (const name of ['ssl.py', 'socket.py', 'zipfile.py', 'urllib/__init__.py']) await put(name, python(name));
  const script = (name: string): string => `require('node:fs').appendFileSync('${marks}', '${name}\\n');\n`;
  for (const name of ['required.cjs', 'npm-cli.js', 'node_modules/npm/bin/npm-cli.js']) await put(name, script(name));
  await put('node_modules/node-llama-cpp/index.js', script('node-llama-cpp'));
  await put('node_modules/keytar/index.js', script('keytar'));
  const hooks = Object.fromEntries(['preinstall', 'prepack', 'postpack', 'prepare'].map((name) => [name, './bin/sh']));
  await put('package.json', JSON.stringify({ name: 'planted', version: '1.0.0', scripts: hooks }));
  await put(
    '.npmrc',
    'script-shell=./bin/sh\ngit=./git\nnode-options=--require ./required.cjs\nignore-scripts=false\n',
  );
  await put('setup.cfg', '[global]\nindex-url = http://127.0.0.1:9/planted\n');
  await put('.ripgreprc', '--pre=./sh\n');
  // PATH also gets npm's folder, and a folder whose name lies outside the project but leads into it.
  await mkdir(outside);
  await symlink(join(folder, 'bin'), join(outside, 'link'));
  const entries = [
    '.',
    '',
    'bin',
    './bin',
    '.venv/bin',
    folder,
    ...['bin', '.venv/bin'].map((one) => join(folder, one)),
  ];
  const path = [...entries, join(folder, 'node_modules/.bin'), join(outside, 'link')].join(':');
  const env = {
    PATH: `${path}:/usr/local/bin:/usr/bin:/bin`,
    NODE_OPTIONS: `--require ${join(folder, 'required.cjs')}`,
    PYTHONPATH: folder,
    PYTHONSTARTUP: join(folder, 'startup.py'),
    PYTHONHOME: '',
    npm_execpath: join(folder, 'node_modules/npm/bin/npm-cli.js'),
    npm_config_script_shell: './bin/sh',
    npm_config_git: './git',
    LD_LIBRARY_PATH: `${join(folder, 'lib')}:.:`,
    LD_AUDIT: '',
    DYLD_INSERT_LIBRARIES: join(folder, 'lib.dylib'),
    INIT_CWD: folder,
  };
  const ran = async (): Promise<readonly string[]> =>
    (await readFile(marks, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return { folder, env, path, ran };
}
