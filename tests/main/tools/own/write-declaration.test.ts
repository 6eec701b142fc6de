import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { readDeclaration } from '../../../../src/main/tools/own/read-declaration.ts';
import type { NamedDeclaration } from '../../../../src/main/tools/own/write-declaration.ts';
import { writeDeclaration } from '../../../../src/main/tools/own/write-declaration.ts';

const template = (file: string): string =>
  readFileSync(resolve('resources/tools', file), 'utf8').replaceAll('TOOL_NAME', 'count_words');
const write = (file: string, text: string, wanted: NamedDeclaration) =>
  writeDeclaration(file, text, wanted, loadSyntax);
const saidBy = async (file: string, text: string): Promise<NamedDeclaration> => {
  const read = await readDeclaration(file, text, loadSyntax);
  if ('problem' in read) throw new Error(read.problem);
  return { ...read.declaration, name: read.name };
};

const wanted: NamedDeclaration = {
  name: 'other',
  description: 'Sagt "hallo",\nlaut. 🎉 \\ ’',
  input_schema: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'what to say', enum: ['a', 'b'] },
      often: { type: 'integer', default: -2 },
      deep: { type: 'object', properties: { 'a-b': { type: 'array', items: { type: 'boolean', default: true } } } },
    },
    required: ['text'],
  },
  hosts: ['api.example.org', 'www.example.org'],
  secrets: ['TOKEN'],
  timeout_seconds: 5,
};

describe('a declaration that is written into a file', () => {
  it.each(['template.py', 'template.js', 'template.sh', 'create_issue.py', 'chat_message.js'])(
    'is what is read from it then, and the code of %s stays as it was',
    async (file) => {
      const text = template(file);
      const written = await write(file, text, wanted);
      if (typeof written !== 'string') throw new Error(written.problem);
      expect(await saidBy(file, written)).toEqual(wanted);
      const code = (all: string): string => all.slice(all.search(/^(?:async )?def |^ {2}async execute|^set -euo/m));
      expect(code(written)).toBe(code(text));
      // Writes the declaration, reads it and writes it back.
      const back = await write(file, written, await saidBy(file, text));
      expect(typeof back === 'string' && (await saidBy(file, back))).toEqual(await saidBy(file, text));
    },
  );

  it('leaves each letter of a file alone that says it already, and each part that is not another', async () => {
    const text = template('template.py').replaceAll('\n', '\r\n');
    const said = await saidBy('a.py', text);
    expect(await write('a.py', text, said)).toBe(text);
    expect(await write('a.py', text, { ...said, timeout_seconds: 9 })).toBe(
      text.replace('"timeout_seconds": 30', '"timeout_seconds": 9'),
    );
    const odd =
      '/* ü🎉 */ const tool = { description: "x", /* why */ hosts: ["a.example"], execute() {} };\nexport default tool;\n';
    const one = await saidBy('a.js', odd);
    expect(await write('a.js', odd, { ...one, hosts: [], secrets: ['KEY'] })).toBe(
      odd.replace('["a.example"]', '[],\n  secrets: ["KEY"]'),
    );
  });

  it.each([
    [
      'a value of a name that others use, too',
      'a.js',
      'const description = "x";\nexport default { description, execute() {} };\n',
    ],
    ['a broken file', 'a.py', 'tool = {"description": open("x")}\ndef execute(a): pass\n'],
  ])('is refused for %s', async (_, file, text) => {
    expect(await write(file, text, wanted)).toMatchObject({ problem: expect.any(String) });
  });

  it('keeps what no form has a field for', async () => {
    const text =
      '# /// dewpoint-tool\n# description = "x"\n# version = 3\n# [[calls]]\n# tool = "docs__search"\n# most = 4\n# ///\nprint(1)\n';
    const { calls: _, version: __, ...said } = await saidBy('a.py', text);
    const written = await write('a.py', text, { ...said, description: 'y' });
    if (typeof written !== 'string') throw new Error(written.problem);
    expect(await saidBy('a.py', written)).toMatchObject({
      description: 'y',
      version: 3,
      calls: [{ tool: 'docs__search', most: 4 }],
    });
  });

  it('has no value that a header cannot carry', async () => {
    const text = template('template.sh');
    const input_schema = { type: 'object', properties: { a: { type: 'string', default: null } } };
    expect(await write('a.sh', text, { ...wanted, input_schema })).toMatchObject({ problem: expect.any(String) });
  });
});
