import { resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = resolve(import.meta.dirname, '../..');

/** Serves the gallery to developers: `npx vite --config tests/gallery/vite.config.ts`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  resolve: { alias: { '@shared': resolve(root, 'src/shared') } },
  server: { fs: { allow: [root] } },
});
