import { expect, it } from 'vitest';
import writeFile from '../../../src/main/tools/write-file.tool.ts';

it('the write_file tool counts lines as an editor does, with and without a last line break', () => {
  const said = ['', 'a', 'a\n', 'a\nb', 'a\n\n'].map((content) => writeFile.label({ path: 'x', content }));
  expect(said).toEqual([
    'write x (0 lines)',
    'write x (1 line)',
    'write x (1 line)',
    'write x (2 lines)',
    'write x (2 lines)',
  ]);
});
