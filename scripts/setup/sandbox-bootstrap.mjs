// Makes the sandbox image without an image registry: Debian packages of resources/sandbox/Dockerfile by debootstrap,
// Node and npm from npm packages.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from './paths.mjs';
import { capture, has, start, stream } from './run.mjs';
import { say } from './say.mjs';

const nodeVersion = '24.21.0';
const npmVersion = '11.21.2';

/** The Debian packages of the image. A test compares them with the Dockerfile. */
const packages = [
  'ca-certificates',
  'file',
  'g++',
  'gcc',
  'git',
  'less',
  'libc6-dev',
  'make',
  'patch',
  'procps',
  'python-is-python3',
  'python3',
  'python3-coverage',
  'python3-dev',
  'python3-pip',
  'python3-pytest',
  'python3-venv',
  'ripgrep',
];

/** The ENV, LABEL, WORKDIR and CMD lines of the Dockerfile. */
const settings = [
  'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'ENV LANG=C.UTF-8',
  'ENV PYTHONDONTWRITEBYTECODE=1',
  'ENV PIP_DISABLE_PIP_VERSION_CHECK=1',
  'ENV NPM_CONFIG_UPDATE_NOTIFIER=false',
  'LABEL dewpoint.runner=2',
  'WORKDIR /workspace',
  'CMD ["/bin/bash"]',
];

/** Part of the image's key, with the Dockerfile and the runner. Raise `version` when `arrange` changes. */
export const recipe = { version: 2, packages, settings, nodeVersion, npmVersion };

/**
 * Makes the image under this name in the engine. Needs Linux, root and debootstrap.
 * @param {string} image
 * @param {string} runnerFolder with the source of process 1
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export async function bootstrapImage(image, runnerFolder) {
  return inFreshTree(async (tree, work) => {
    for (const step of [installDebian, addNode, addNpm, arrange, buildRunner]) {
      const done = await step(tree, work, runnerFolder);
      if (!done.ok)
        return { ok: false, message: `the sandbox image could not be built: ${done.output.trim().slice(-2000)}` };
    }
    say('importing the image into the engine');
    return importTree(tree, image);
  });
}

/**
 * Gives `make` an empty folder of the cache to make an image in, and removes it afterwards. Needs Linux, root and
 * debootstrap.
 * @param {(tree: string, work: string) => Promise<{ok: true} | {ok: false, message: string}>} make
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export async function inFreshTree(make) {
  const hindrance = whatHinders();
  if (hindrance) return { ok: false, message: hindrance };
  const images = join(cacheDir(), 'images');
  removeLeftovers(images);
  const work = join(images, `make-${process.pid}`);
  const tree = join(work, 'tree');
  try {
    mkdirSync(tree, { recursive: true });
    return await make(tree, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// A killed process leaves half a tree, with debootstrap's mounts still in it.
/** @param {string} images */
function removeLeftovers(images) {
  if (!existsSync(images)) return;
  for (const name of readdirSync(images).filter((entry) => /^make-\d+$/.test(entry))) {
    if (existsSync(`/proc/${name.slice('make-'.length)}`)) continue;
    for (const mount of ['proc', 'sys', 'dev/pts', 'dev']) capture('umount', [join(images, name, 'tree', mount)]);
    rmSync(join(images, name), { recursive: true, force: true });
  }
}

/** @returns {string} why this machine cannot make a tree, empty where it can */
function whatHinders() {
  const else_ = 'or connect to an image registry, or copy the image from another machine (docker save, docker load)';
  if (process.platform !== 'linux') {
    return `the base image cannot be pulled, and only Linux can build it without: go online once, ${else_}`;
  }
  if (!has('debootstrap') && !existsSync('/usr/sbin/debootstrap')) {
    return `the base image cannot be pulled, and debootstrap is not installed: sudo apt-get install -y debootstrap, ${else_}`;
  }
  if (process.getuid?.() !== 0) {
    return `the base image cannot be pulled, and building it without needs root: sudo node scripts/setup/sandbox-image.mjs, ${else_}`;
  }
  return '';
}

/** @param {string} tree */
async function installDebian(tree) {
  say(`installing ${packages.length} Debian packages and their dependencies into the image`);
  const kept = join(cacheDir(), 'images', 'debs');
  mkdirSync(kept, { recursive: true });
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const args = ['--variant=minbase', `--include=${packages.join(',')}`, `--cache-dir=${kept}`, 'bookworm', tree];
  return stream('debootstrap', args, { quiet: true, env });
}

/** @param {string} tree @param {string} work */
async function addNode(tree, work) {
  const name = `node-linux-${arch()}`;
  const unpacked = await unpack(`${name}@${nodeVersion}`, join(work, 'node'));
  if (!unpacked.ok) return unpacked;
  const binary = join(tree, 'usr/local/bin/node');
  copyFileSync(join(work, 'node', 'package', 'bin', 'node'), binary);
  return stream('chmod', ['755', binary], { quiet: true });
}

/** @param {string} tree @param {string} work */
async function addNpm(tree, work) {
  const unpacked = await unpack(`npm@${npmVersion}`, join(work, 'npm'));
  if (!unpacked.ok) return unpacked;
  cpSync(join(work, 'npm', 'package'), join(tree, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, 'usr/local/bin', name));
  }
  return { ok: true, output: '' };
}

/** @param {string} spec @param {string} folder */
async function unpack(spec, folder) {
  say(`downloading ${spec} for the image`);
  mkdirSync(folder, { recursive: true });
  const packed = capture('npm', ['pack', '--silent', '--pack-destination', folder, spec], { timeoutMs: 600_000 });
  if (!packed.ok) return { ok: false, output: packed.stderr };
  return stream('tar', ['-xzf', join(folder, packed.stdout.trim().split('\n').at(-1) ?? ''), '-C', folder], {
    quiet: true,
  });
}

/** @param {string} tree */
async function arrange(tree) {
  // Mode 1777: the user inside the container has the id of the project's owner.
  const folders = ['workspace', 'scratch'].map((name) => join(tree, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(tree, 'etc/gitconfig'), '[safe]\n\tdirectory = *\n');
  for (const name of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
    rmSync(join(tree, name), { recursive: true, force: true });
    mkdirSync(join(tree, name), { recursive: true });
  }
  rmSync(join(tree, 'etc/resolv.conf'), { force: true });
  writeFileSync(join(tree, 'etc/hostname'), 'sandbox\n');
  return stream('chmod', ['1777', ...folders], { quiet: true });
}

/** @param {string} tree @param {string} _work @param {string} runnerFolder */
async function buildRunner(tree, _work, runnerFolder) {
  const inside = join(tree, 'tmp', 'runner');
  cpSync(runnerFolder, inside, { recursive: true });
  const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };
  const built = await stream('chroot', [tree, 'sh', '/tmp/runner/build.sh'], { quiet: true, env });
  rmSync(inside, { recursive: true, force: true });
  return built;
}

/**
 * Imports a folder into the engine as an image.
 * @param {string} tree
 * @param {string} image
 * @param {readonly string[]} [instructions] lines of a Dockerfile
 * @returns {Promise<{ok: true} | {ok: false, message: string}>}
 */
export function importTree(tree, image, instructions = settings) {
  return new Promise((done) => {
    const changes = instructions.flatMap((setting) => ['-c', setting]);
    const tar = start('tar', ['-C', tree, '--numeric-owner', '-c', '.'], { stdio: ['ignore', 'pipe', 2] });
    const load = tar && start('docker', ['import', ...changes, '-', image], { stdio: [tar.stdout, 'ignore', 2] });
    if (!tar || !load) return done({ ok: false, message: 'tar or docker is missing' });
    tar.stdout?.destroy();
    tar.on('error', (error) => done({ ok: false, message: error.message }));
    load.on('error', (error) => done({ ok: false, message: error.message }));
    load.on('close', (code) => {
      done(code === 0 ? { ok: true } : { ok: false, message: `docker import ended with ${code}` });
    });
  });
}
