import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/** Those that name their own time, and one whose clock the test moves. */
const timed = [
  'docker/podman.test.ts',
  'main/agent/step/ask-program-reviewer.test.ts',
  'main/sessions/open/open-question.test.ts',
  'main/sessions/open/saved-calls.test.ts',
];

const root = resolve(import.meta.dirname, '..');

// Catches: a test that fails once in a hundred runs, because a busy machine did nothing for a second.
it('tests wait by expect.poll, which has the patience of its suite, and not by waitFor, which has a second', () => {
  const found = globSync('**/*.{ts,tsx,mjs}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\bvi\.wait(?:For|Until)\(/u.test(readFileSync(join(root, file), 'utf8')));
  expect(found.toSorted()).toEqual(timed);
});
