import { expect, it } from 'vitest';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { readDeclaration } from '../../../../src/main/tools/own/read-declaration.ts';
import { withHeader } from '../../../../src/main/tools/own/tool-header.ts';

/** Catches: a next version of a program that announces other calls, or whose code is another. */
it('the header of a tool can be rewritten without changing the code below', async () => {
  const text =
    '# /// dewpoint-tool\n# description = "x"\n# version = 3\n# [[calls]]\n# tool = "docs__search"\n# most = 4\n# ///\nprint(1)\n';
  const read = await readDeclaration('say.py', text, loadSyntax);
  if ('problem' in read) throw new Error(read.problem);
  const said = { ...read.declaration, name: 'say', version: 4, description: 'Sagt "hallo",\nlaut. \\ ’' };
  const written = withHeader(text, said);
  expect(written.endsWith('# ///\nprint(1)\n')).toBe(true);
  expect(await readDeclaration('say.py', written, loadSyntax)).toMatchObject({ declaration: said });
});
