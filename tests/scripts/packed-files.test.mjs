import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isPackedFile } from '../../scripts/setup/packed-files.mjs';
import { root } from '../../scripts/setup/paths.mjs';

// Catches: a grammar that is loaded from the packages of a checkout, and is missing in the packed app.
it('the packed app holds every grammar that the sources name', () => {
  const found = execFileSync('git', ['grep', '-hoE', 'tree-sitter-[a-z-]+\\.wasm', '--', 'src'], {
    cwd: root,
    encoding: 'utf8',
  });
  const grammars = [...new Set(found.trim().split('\n'))];
  expect(grammars).toContain('tree-sitter-tsx.wasm');
  const missing = grammars.filter(
    (name) => !isPackedFile(`/app/node_modules/@vscode/tree-sitter-wasm/wasm/${name}`, 'linux-x64'),
  );
  expect(missing).toEqual([]);
});
