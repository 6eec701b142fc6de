// Builds a real llama-server for tests. It uses the llama.cpp sources of node-llama-cpp and links the libraries that
// the package ships. Users bring their own server. It can be run by itself:
//   node scripts/setup/llama-server.mjs [--setup-system]      prints the path of the program
import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram, lastWords, printProgram } from './built-program.mjs';
import { cacheDir, root } from './paths.mjs';
import { stream } from './run.mjs';
import { say } from './say.mjs';
import { keyOfText } from './stamp.mjs';
import { ensurePackages, packagesFor } from './system.mjs';

const parts = ['include', 'ggml/include', 'common', 'vendor', 'src', 'tools/server', 'tools/mtmd', 'tools/ui'];
const headers = [...parts.slice(0, 4), 'vendor/hash', 'vendor/hash/rotate-bits', 'tools/mtmd', 'tools/server'];
/** Models run in the libraries, which are already optimized. Here only the compile time matters. */
const flags = ['-O0', '-w'];

const packages = join(root, 'node_modules');
const libraries = join(packages, `@node-llama-cpp/linux-${process.arch}/bins/linux-${process.arch}`);

/** @returns {string} where the program is, or will be, on this machine */
function llamaServerPath() {
  const { version } = JSON.parse(readFileSync(join(packages, 'node-llama-cpp/package.json'), 'utf8'));
  const key = keyOfText(JSON.stringify({ version, flags, arch: process.arch })).slice(0, 12);
  return join(cacheDir(), 'llama-server', key, 'llama-server');
}

/**
 * @param {{allowed: boolean}} options whether it may be built here, which takes minutes and all cores
 * @returns {Promise<import('./built-program.mjs').Found>}
 */
export async function ensureLlamaServer({ allowed }) {
  return builtProgram(llamaServerPath(), { name: 'llama-server', article: 'a', allowed, build });
}

/** @param {string} work @returns {Promise<string>} an error message, empty on success */
async function build(work) {
  const compiler = await ensurePackages(packagesFor.compiler, { allowed: true });
  if (!compiler.ok) return compiler.message;
  say('building a llama-server for the tests (once, some minutes)');
  const source = join(work, 'source');
  const bundle = join(packages, 'node-llama-cpp/llama/gitRelease.bundle');
  const run = async (/** @type {readonly [string, ...string[]]} */ [program, ...args]) => {
    const done = await stream(program, args, { cwd: work, quiet: true, timeoutMs: 900_000 });
    return done.ok ? '' : lastWords(done.output);
  };
  const brought =
    (await run(['git', 'clone', '--quiet', '--no-checkout', bundle, source])) ||
    (await run(['git', '-C', source, 'checkout', '--quiet', 'HEAD', '--', ...parts])) ||
    // Makes the source files of the server's web page, with no files in them.
    (await run(['c++', '-std=c++17', join(source, 'tools/ui/embed.cpp'), '-o', join(work, 'embed')])) ||
    (await run([join(work, 'embed'), join(work, 'ui.cpp'), join(work, 'ui.h')]));
  if (brought) return brought;
  const included = [work, source, ...headers.map((path) => join(source, path))].map((path) => `-I${path}`);
  const files = sourcesIn(source, work);
  const objects = files.map((file, index) => join(work, `${index}-${basename(file)}.o`));
  const waiting = files.map((file, index) => ({ file, object: objects[index] ?? '' }));
  /** @type {string[]} */
  const wrong = [];
  const compile = async () => {
    for (let next = waiting.shift(); next !== undefined && wrong.length === 0; next = waiting.shift()) {
      // This one C file must be compiled as C.
      const language = next.file.endsWith('sha256.c') ? ['cc'] : ['c++', '-std=c++17'];
      const message = await run([...language, ...flags, ...included, '-c', next.file, '-o', next.object]);
      if (message) wrong.push(message);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, compile));
  if (wrong[0]) return wrong[0];
  const bin = join(work, 'bin');
  const shared = readdirSync(libraries).filter((name) => name.endsWith('.so'));
  // llama-server looks for the libraries for processors in its own folder.
  for (const name of shared) copyFileSync(join(libraries, name), join(bin, name));
  const linked = shared.filter((name) => /^lib(?:llama|ggml)(?:-common|-base|\..*v[\d.]+)\.so$/u.test(name));
  const rest = ['-Wl,--allow-shlib-undefined', '-Wl,-rpath,$ORIGIN', '-pthread', '-o', join(bin, 'llama-server')];
  return run(['c++', ...objects, ...linked.map((name) => join(bin, name)), ...rest]);
}

/** Returns the largest first, so that no core waits for it at the end. @param {string} source @param {string} work */
function sourcesIn(source, work) {
  const below = (/** @type {string} */ folder, /** @type {RegExp} */ named) =>
    readdirSync(join(source, folder)).flatMap((name) => (named.test(name) ? [join(source, folder, name)] : []));
  return [
    ...below('tools/server', /^(?:server.*|main)\.cpp$/u),
    join(source, 'vendor/cpp-httplib/httplib.cpp'),
    ...below('tools/mtmd', /^(?:mtmd|mtmd-audio|mtmd-image|mtmd-helper|mtmd-helper-gen|clip)\.cpp$/u),
    ...below('tools/mtmd/models', /\.cpp$/u),
    ...['hash.cpp', 'sha1/sha1.c', 'sha256/sha256.c', 'xxhash/xxhash.c'].map((name) =>
      join(source, 'vendor/hash', name),
    ),
    join(work, 'ui.cpp'),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await printProgram(ensureLlamaServer);
