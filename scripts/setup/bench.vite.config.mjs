// Builds bench/main.ts, which shares code with the program, into one file for Node 24.
import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { root } from './paths.mjs';

export default defineConfig({
  root,
  logLevel: 'warn',
  resolve: { alias: { '@shared': resolve(root, 'src/shared') } },
  build: {
    ssr: resolve(root, 'bench/main.ts'),
    outDir: resolve(root, 'out/bench'),
    target: 'node24',
    minify: false,
    emptyOutDir: true,
    rollupOptions: { output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' } },
  },
});
