import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const kit = 'tests/electron/launch.ts';
/** Here the keys are meant for a field that reads shortcuts, and for a dialog that keeps them. */
const fields = ['tests/electron/own-choices.test.ts', 'tests/electron/window-dialogs.test.ts'];

/** What reaches nobody before the page listens, and the function of the kit that waits for it. */
const early = [
  { pattern: /\bpage\.reload\(/u, instead: 'reload', allowed: [kit] },
  { pattern: /'Control\+[Kk]'/u, instead: 'openActions', allowed: [kit, ...fields] },
] as const;

/** Catches: a key that is pressed before the page listens, so that the test waits in vain on a busy machine. */
it.each(early)('a test of the window uses $instead, which waits until the page listens', ({ pattern, allowed }) => {
  const files = globSync('tests/{electron,keyring,e2e,pictures}/**/*.ts', { cwd: root }).filter(
    (file) => !allowed.some((one) => one === file),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => pattern.test(readFileSync(resolve(root, file), 'utf8')))).toEqual([]);
});
