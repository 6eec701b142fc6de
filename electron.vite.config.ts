import { resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const define = { __APP_VERSION__: JSON.stringify(version) };
const alias = { '@shared': resolve('src/shared') };

/** Native or ESM-only packages that are loaded at run time and must not be bundled. */
const external = [
  'electron',
  'node-llama-cpp',
  'keytar',
  '@photostructure/sqlite',
  'bufferutil',
  'utf-8-validate',
  'cpu-features',
  /\.node$/,
];

export default defineConfig({
  main: {
    define,
    resolve: { alias },
    build: {
      externalizeDeps: false,
      target: 'node18',
      minify: false,
      rollupOptions: {
        external,
        input: {
          index: resolve('src/main/index.ts'),
          cli: resolve('src/main/cli/main.ts'),
          'llama-worker': resolve('src/main/engines/llama-worker/worker.ts'),
          'server-guard': resolve('src/main/engines/server-guard.ts'),
          'key-process': resolve('src/main/secrets/key-process.ts'),
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
    plugins: [react(), tailwind()],
    build: {
      target: 'chrome114',
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
