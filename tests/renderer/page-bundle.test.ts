import { relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { expect, it, vi } from 'vitest';

const limitBytes = 299_000;

/**
 * Catches: a value import from shared that pulls every schema, and zod, into the page; something large that is loaded
 * at start although few need it; the gallery, which only developers see.
 */
// The whole page is built beside other tests. That takes ten seconds, but minutes on a busy machine.
it(
  'the bundle of the page contains no schema and no gallery, and loads little at start',
  { timeout: 240_000 },
  async () => {
    const { default: config } = await import('../../electron.vite.config.ts');
    const { renderer } = config;
    const root = resolve('src/renderer');
    // The environment of tests would bring in the development build of React, which is not shipped.
    vi.stubEnv('NODE_ENV', 'production');
    const result = await build({
      ...renderer,
      root,
      configFile: false,
      logLevel: 'silent',
      build: { ...renderer?.build, write: false },
    });
    vi.unstubAllEnvs();
    const outputs = [result].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
    const chunks = outputs.filter((output) => output.type === 'chunk');
    const modules = chunks.flatMap((chunk) => chunk.moduleIds.map((id) => relative(resolve('.'), id)));
    const zod = 'node_modules/zod/';
    expect(modules).toContain('src/shared/session/session-state.ts');
    expect(modules.filter((module) => module.startsWith(zod))).toEqual([]);
    expect(chunks.some((chunk) => chunk.code.includes('ZodError'))).toBe(false);
    expect(outputs.filter(({ fileName }) => fileName.endsWith('.html')).map(({ fileName }) => fileName)).toEqual([
      'index.html',
    ]);
    expect(modules.filter((module) => module.startsWith('tests/'))).toEqual([]);
    expect(modules.filter((module) => /react-dom.*development/u.test(module))).toEqual([]);
    const first = new Set(
      chunks.filter((chunk) => chunk.isEntry).flatMap((chunk) => [chunk.fileName, ...chunk.imports]),
    );
    const texts = outputs.flatMap((output) => {
      if (output.type === 'chunk') return first.has(output.fileName) ? output.code : [];
      return output.fileName.endsWith('.css') ? output.source : [];
    });
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(limitBytes);
  },
);
