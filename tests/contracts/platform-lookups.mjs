// node platform-lookups.mjs FOLDER PLATFORM ARCH: prints as JSON what the libraries themselves would load on that
// platform from the packages in FOLDER/node_modules. It runs in a separate process, because the libraries read the
// platform of their process.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

const [, , folder = '', platform = '', arch = ''] = process.argv;
const modules = join(resolve(folder), 'node_modules');
Object.defineProperty(process, 'platform', { value: platform });
Object.defineProperty(process, 'arch', { value: arch });
process.env.npm_config_platform = platform;
process.env.npm_config_arch = arch;
process.env.LIBC = 'glibc';

process.stdout.write(JSON.stringify({ engine: await engine(), keys: keys() }));

/** node-llama-cpp's own lookup, with the packages of the folder instead of the installed ones. */
async function engine() {
  registerHooks({
    resolve(specifier, context, next) {
      const entry = specifier.startsWith('@node-llama-cpp/') && join(modules, specifier, 'dist', 'index.js');
      if (entry && existsSync(entry)) return { url: pathToFileURL(entry).href, format: 'module', shortCircuit: true };
      return next(specifier, context);
    },
  });
  const library = pathToFileURL(resolve('node_modules/node-llama-cpp/dist/bindings/utils/compileLLamaCpp.js')).href;
  const { getPrebuiltBinaryPath } = await import(library);
  const system = { win32: 'win', darwin: 'mac' }[platform] ?? platform;
  const gpu = system === 'mac' && arch === 'arm64' ? 'metal' : false;
  const name = [system, arch, ...(gpu === false ? [] : [gpu])].join('-');
  const found = await getPrebuiltBinaryPath({ platform: system, arch, gpu }, name);
  return found?.binaryPath ?? null;
}

/** keytar's own lines, with a `require` that only looks and does not load. */
function keys() {
  const path = join(modules, 'keytar', 'lib', 'keytar.js');
  let found = null;
  const look = (name) => {
    const file = resolve(modules, 'keytar', 'lib', name);
    if (!existsSync(file)) throw new Error(`no ${file}`);
    found = file;
    return {};
  };
  compileFunction(readFileSync(path, 'utf8'), ['require', 'module', 'process'])(look, {}, process);
  return found;
}
