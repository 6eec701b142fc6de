import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'vite';

/**
 * Bundles one program of the sources as the app is built, so that it can be killed. Some packages stay outside the
 * bundle, mainly native code. Returns its path, `out/main/child.cjs` in the folder.
 */
export async function bundleChild(entry: string, folder: string): Promise<string> {
  const outDir = join(folder, 'out', 'main');
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolve('src/shared') } },
    build: {
      ssr: resolve(entry),
      outDir,
      target: 'node24',
      rollupOptions: {
        external: ['node-llama-cpp', 'cpu-features', 'bufferutil', 'utf-8-validate', /\.node$/],
        output: { format: 'cjs', entryFileNames: 'child.cjs', chunkFileNames: '[name]-[hash].cjs' },
      },
    },
    ssr: { noExternal: true },
  });
  await symlink(resolve('node_modules'), join(folder, 'out', 'node_modules'));
  return join(outDir, 'child.cjs');
}
