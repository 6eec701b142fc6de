import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { writeBundleFacts } from './scripts/setup/bundle-facts.mjs';
import { oneByteCode } from './scripts/setup/one-byte-code.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Which build of a version it is, by its sources: two of them may meet in one home, and the version is the same. */
const define = {
  __APP_VERSION__: JSON.stringify(`${version}+${keyOfSources(['src', 'resources'])}`),
  __PACKAGE_REGISTRY__: JSON.stringify(packageRegistry()),
};
const alias = { '@shared': resolve('src/shared') };

/** Native or ESM-only packages that are loaded at run time and must not be bundled. */
const external = ['electron', 'node-llama-cpp', 'keytar', 'bufferutil', 'utf-8-validate', 'cpu-features', /\.node$/];

export default defineConfig({
  main: {
    define,
    plugins: [writeBundleFacts(), oneByteCode()],
    resolve: { alias },
    build: {
      externalizeDeps: false,
      target: 'node24',
      minify: false,
      rollupOptions: {
        external,
        input: {
          index: resolve('src/main/start-app.ts'),
          cli: resolve('src/main/hosts/cli/start-cli.ts'),
          'llama-worker': resolve('src/main/models/engine/worker/worker.ts'),
          'server-guard': resolve('src/main/models/engine/server-guard.ts'),
          'document-process': resolve('src/main/documents/document-process.ts'),
          'symbols-process': resolve('src/main/symbols/process/symbols-process.ts'),
          'git-process': resolve('src/main/git/process/git-process.ts'),
          'key-process': resolve('src/main/safety/keys/key-process.ts'),
        },
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          chunkFileNames: '[name]-[hash].cjs',
        },
      },
    },
  },
  preload: {
    plugins: [writeBundleFacts()],
    resolve: { alias },
    build: {
      externalizeDeps: false,
      rollupOptions: {
        input: { index: resolve('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    resolve: { alias },
    plugins: [react(), tailwind(), writeBundleFacts()],
    build: {
      // Of Electron 45.
      target: 'chrome156',
      minify: true,
      // The page's policy lets nothing come out of an address that is its own content.
      assetsInlineLimit: 0,
      // The polyfill fetches, which the page's policy need not allow.
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: resolve('src/renderer/index.html'),
        // The page shares reducers with the core. The schemas beside them are not used by it and must not be in it.
        treeshake: { manualPureFunctions: ['z', 'ratesSchema'] },
      },
    },
  },
});

/** For a packaged program on a machine without npm: engine libraries come from where the packages of the build came. */
function packageRegistry(): string {
  try {
    // On Windows npm is a script that only a shell starts.
    return execSync('npm config get registry', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

function keyOfSources(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
      hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 8);
}
