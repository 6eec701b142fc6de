// Builds bench/main.ts, which shares code with the program, into one file for Node 24.
import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { root } from './paths.mjs';

export default defineConfig({
  root,
  logLevel: 'warn',
  resolve: { alias: { '@shared': resolve(root, 'src/shared') } },
  build: {
    ssr: true,
    outDir: resolve(root, 'out/bench'),
    target: 'node24',
    minify: false,
    emptyOutDir: true,
    rollupOptions: {
      input: {
        main: resolve(root, 'bench/main.ts'),
        // The protocol's conformance suite starts this client once for each scenario.
        'conformance-client': resolve(root, 'bench/lib/conformance-client.ts'),
      },
      output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
});
