// The program for the test shell, which is an older Electron: the same sources, in older syntax, with what its runtime
// lacks. Nobody else gets this build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'electron-vite';
import config from '../../../electron.vite.config.ts';

const part = (name: string): string => join(import.meta.dirname, name);
const output = { banner: readFileSync(part('prelude.cjs'), 'utf8') };
const { main, preload, renderer } = config;

/** Modules of the runtime cannot be aliased, because they are never looked up. */
function inPlaceOf(module: string, file: string): object {
  return {
    name: `in-place-of-${module}`,
    enforce: 'pre',
    transform: (code: string, id: string) =>
      id.includes('/src/') ? code.replaceAll(`'${module}'`, JSON.stringify(part(file))) : null,
  };
}

export default defineConfig({
  main: mergeConfig(main ?? {}, {
    plugins: [inPlaceOf('node:sqlite', 'sqlite.mjs')],
    build: { target: 'node18', rollupOptions: { external: ['@photostructure/sqlite'], output } },
  }),
  preload: mergeConfig(preload ?? {}, {
    plugins: [inPlaceOf('electron', 'electron.mjs')],
    build: { rollupOptions: { output } },
  }),
  renderer: mergeConfig(renderer ?? {}, {
    build: { target: 'chrome114', rollupOptions: { output } },
  }),
});
