import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const page = 'src/renderer';
const exported = /^export (?:default )?(?:function|class) ([A-Z]\w*)/gmu;

/** Catches: a component that is missing in the gallery, where all are seen in light and dark. */
it('the gallery shows every component of every file of ui/', () => {
  const pieces =
    readFileSync('tests/gallery/pieces.tsx', 'utf8') + readFileSync('tests/gallery/figure-pieces.tsx', 'utf8');
  const drawing =
    pieces +
    readFileSync('tests/gallery/pieces-with-state.tsx', 'utf8') +
    readFileSync('tests/gallery/model-pieces.tsx', 'utf8');
  const components = globSync('ui/**/*.tsx', { cwd: page }).map((path) => ({
    name: basename(path, '.tsx'),
    drawn: [...readFileSync(join(page, path), 'utf8').matchAll(exported)].map(([, component]) => component),
  }));
  expect(components.length).toBeGreaterThan(20);
  expect(components.filter(({ drawn }) => drawn.length === 0)).toEqual([]);
  const names = [...pieces.matchAll(/^ {2}'?([a-z-]+)'?: (?:<|\()/gmu)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(components.map(({ name }) => name)));
  const missing = components.flatMap(({ drawn }) =>
    drawn.filter((one) => !new RegExp(`<${one}\\b`, 'u').test(drawing)),
  );
  expect(missing).toEqual([]);
});
