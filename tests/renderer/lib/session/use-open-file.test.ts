import { describe, expect, it } from 'vitest';
import { firstChange } from '../../../../src/renderer/lib/drawing/diff-rows.ts';
import { pathInCode } from '../../../../src/renderer/lib/session/use-open-file.ts';

// Catches: a word of code that becomes a button and opens nothing, and a path that does not become a button.
it.each([
  ['src/app.py', { path: 'src/app.py', line: null }],
  ['./src/app.py:12', { path: 'src/app.py', line: 12 }],
  ['main.py:3:9', { path: 'main.py', line: 3 }],
  ['/home/ada/a-b/c.test.ts', { path: '/home/ada/a-b/c.test.ts', line: null }],
  ['Math.round', null],
  ['main.py', null],
  ['a/b', null],
  ['1.5/2.5', null],
  ['example.com/index.html', null],
  ['https://example.com/a.js', null],
  ['npm run a/b.js', null],
  ['localhost:8080', null],
])('the text %s in an answer names %j', (text, found) => {
  expect(pathInCode(text)).toEqual(found);
});

describe('the line at which a changed file opens', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -10,4 +10,5 @@\n a\n+b\n c\n d\n e\n@@ -40,3 +41,3 @@\n f\n-g\n+h\n i\n';

  it('is that of its first change', () => {
    expect(firstChange(diff)).toBe(11);
    // The line that the first hunk added is not in the file.
    expect(firstChange(diff, ['undone', 'open'])).toBe(41);
    expect(firstChange(diff, ['undone', 'undone'])).toBeNull();
    expect(firstChange(null)).toBeNull();
    expect(firstChange('--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n')).toBe(1);
  });
});
