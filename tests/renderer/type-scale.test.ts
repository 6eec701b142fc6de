import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = 'src/renderer';
const files = globSync('**/*.{ts,tsx}', { cwd: page }).map((path) => ({
  path,
  text: readFileSync(join(page, path), 'utf8'),
}));

function found(pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([match]) => `${path}: ${match}`));
}

/** Catches: a Tailwind class without a token of the page, which would have no effect. See docs/design.md. */
describe('the classes of the page', () => {
  it('use three sizes of text: text-xs, text-sm and text-xl', () => {
    expect(found(/\btext-(?:2xs|base|lg|[2-9]xl|\[\d[^\]]*\])(?![\w-])/gu)).toEqual([]);
    expect(found(/\btext-(?:xs|sm|xl)\b/gu).length).toBeGreaterThan(200);
  });

  it('use two weights: font-normal and font-semibold', () => {
    expect(found(/\bfont-(?:thin|extralight|light|medium|bold|extrabold|black|\[\d+\])(?![\w-])/gu)).toEqual([]);
  });

  it('set no transition time of their own, and the shared one is under 150 ms', () => {
    expect(found(/\bduration-(?:\d+|\[[^\]]*\])/gu)).toEqual([]);
    const [, time] =
      /--default-transition-duration: (\d+)ms/u.exec(readFileSync(join(page, 'styles.css'), 'utf8')) ?? [];
    expect(Number(time)).toBeLessThan(150);
  });

  it('use one component for every choice from a list', () => {
    expect(found(/<select\b/gu)).toEqual(['ui/controls/select.tsx: <select', 'ui/controls/select.tsx: <select']);
  });
});
