import { relative, resolve } from 'node:path';
import { build } from 'vite';
import { expect, it } from 'vitest';

/** Catches: a value import from shared that pulls every schema, and zod, into the page. */
it('has no schema in the page', { timeout: 60_000 }, async () => {
  const { default: config } = await import('../../electron.vite.config.ts');
  const { renderer } = config;
  const root = resolve('src/renderer');
  const result = await build({
    ...renderer,
    root,
    configFile: false,
    logLevel: 'silent',
    build: { ...renderer?.build, write: false },
  });
  const outputs = [result].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const chunks = outputs.filter((output) => output.type === 'chunk');
  const modules = chunks.flatMap((chunk) => chunk.moduleIds.map((id) => relative(resolve('.'), id)));
  const zod = 'node_modules/zod/';
  expect(modules).toContain('src/shared/session-state.ts');
  expect(modules.filter((module) => module.startsWith(zod))).toEqual([]);
  expect(chunks.some((chunk) => chunk.code.includes('ZodError'))).toBe(false);
});
