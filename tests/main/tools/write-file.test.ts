import { expect, it } from 'vitest';
import writeFile from '../../../src/main/tools/write-file.tool.ts';

it('counts the lines of a text as an editor does, with and without a break at its end', () => {
  const said = ['', 'a', 'a\n', 'a\nb', 'a\n\n'].map((content) => writeFile.label({ path: 'x', content }));
  expect(said).toEqual([
    'write x (0 lines)',
    'write x (1 line)',
    'write x (1 line)',
    'write x (2 lines)',
    'write x (2 lines)',
  ]);
});
