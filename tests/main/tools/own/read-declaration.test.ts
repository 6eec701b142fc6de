import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Syntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { looksLikeTool, readDeclaration } from '../../../../src/main/tools/own/read-declaration.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

const read = (file: string, text: string) => readDeclaration(file, text, async () => syntax);
const problemOf = async (file: string, text: string): Promise<string> => {
  const found = await read(file, text);
  return 'problem' in found ? found.problem : `no problem: ${JSON.stringify(found)}`;
};

const schema = {
  type: 'object',
  properties: { text: { type: 'string', description: 'what to say' } },
  required: ['text'],
};

/** The same tool in each form that a file can have. */
const same: Readonly<Record<string, string>> = {
  'say.py': `import os
PARTS = ("Says a text, "
    'loudly. \\u00e9')
tool = {
    "description": PARTS,
    # One host alone.
    "hosts": ["api.example.org"],
    "input_schema": {"type": "object", "properties": {"text": {"type": "string", "description": """what to say"""}}, "required": ["text",]},
    "secrets": ["TOKEN"], "timeout_seconds": 5,
}

def execute(arguments):
    return os.environ["TOKEN"]
`,
  'say.mjs': `const input_schema = { type: 'object', properties: { text: { type: "string", description: \`what to say\` } }, required: ['text'] };
export default {
  description: 'Says a text, ' + 'loudly. \\u{e9}', // é
  hosts: ['api.example.org'],
  input_schema,
  async execute({ text }) { return { hosts: [\`\${text}\`] }; },
  'secrets': ["TOKEN"],
  timeout_seconds: 5,
};
`,
  'say.ts': `interface Input { readonly text: string }
export const tool = ({
  description: 'Says a text, loudly. é',
  hosts: ['api.example.org'] as const,
  input_schema: { type: 'object', properties: { text: { type: 'string', description: 'what to say' } }, required: ['text'] },
  secrets: ['TOKEN'],
  timeout_seconds: 5,
  execute: async ({ text }: Input): Promise<string> => text,
} satisfies object);
`,
  'say.cjs': `module.exports = { description: 'Says a text, loudly. é', hosts: ['api.example.org'], secrets: ['TOKEN'], timeout_seconds: 5,
  input_schema: { type: 'object', properties: { text: { type: 'string', description: 'what to say' } }, required: ['text'] }, execute };
function execute() {}
`,
  'say.sh': `#!/usr/bin/env -S bash -e
# A word before it.
# /// dewpoint-tool
# description = "Says a text, loudly. é"
# hosts = ["api.example.org"]
# secrets = ["TOKEN"]
# timeout_seconds = 5
#
# [input_schema]
# type = "object"
# properties.text = { type = "string", description = "what to say" }
# required = ["text"]
# ///
cat
`,
  say: `#!/usr/bin/lua
-- /// dewpoint-tool
-- description = "Says a text, loudly. é"
-- hosts = ["api.example.org"]
-- secrets = ["TOKEN"]
-- timeout_seconds = 5
-- input_schema = { type = "object", properties = { text = { type = "string", description = "what to say" } }, required = ["text"] }
-- ///
`,
};

describe("the declaration in a tool's file", () => {
  it.each(Object.entries(same))('is read alike from %s, without running it', async (file, text) => {
    const found = await read(file, text);
    expect(found).toMatchObject({
      name: 'say',
      form: /\.(?:py|[cm]?[jt]s)$/.test(file) ? 'exported' : 'program',
      declaration: {
        description: 'Says a text, loudly. é',
        input_schema: schema,
        hosts: ['api.example.org'],
        secrets: ['TOKEN'],
        timeout_seconds: 5,
      },
    });
  });

  it('says what runs the file, by its first line before its name', async () => {
    const wordsOf = async (file: string) => {
      const found = await read(file, same[file] ?? '');
      return 'problem' in found ? found.problem : found.interpreter;
    };
    expect(await wordsOf('say.sh')).toEqual(['bash', '-e']);
    expect(await wordsOf('say')).toEqual(['/usr/bin/lua']);
    expect([await wordsOf('say.py'), await wordsOf('say.ts')]).toEqual([['python3'], ['node']]);
  });

  it('defaults to no arguments, no hosts, no secrets and a minute', async () => {
    const found = await read('to-do.py', 'tool = {"description": "x"}\ndef execute(arguments): pass\n');
    expect(found).toMatchObject({
      name: 'to_do',
      declaration: { input_schema: { type: 'object', properties: {} }, hosts: [], secrets: [], timeout_seconds: 60 },
    });
  });
});

describe('a wrong declaration', () => {
  const python = (object: string) => `# one\ntool = ${object}\ndef execute(arguments): pass\n`;
  it.each([
    ['a.py', python('{"description": open("/etc/passwd").read()}'), /^Line 2: .*is computed.*write the value out/],
    ['a.py', python('{"description": f"{1}"}'), /^Line 2: .*is computed/],
    ['a.py', python('{"description": "x", **other}'), /^Line 2: this part of the declaration is computed/],
    ['a.py', python('make()'), /^Line 2: the tool is no object/],
    ['a.py', python('{"description": "x"'), /^Line 2: it cannot be read as python/],
    ['a.py', 'tool = {"description": "x"}\n', /^Line 1: the tool has no function "execute"/],
    ['a.py', python('{"description": "x", "host": []}'), /^Line 2: host is unknown/],
    ['a.py', python('{"description": "x", "hosts": ["*.example.org"]}'), /^Line 2: hosts\.0: give exact names/],
    ['a.py', python('{"description": "x", "hosts": ["127.0.0.1"]}'), /hosts\.0/],
    ['a.py', python('{"description": "x", "secrets": ["a b"]}'), /secrets\.0: use capital letters/],
    ['a.py', python('{"description": "x", "timeout_seconds": 1e9}'), /timeout_seconds: it must be at most 600/],
    ['a.py', python('{"description": ""}'), /description: it must not be empty/],
    ['a.py', python('{"name": "A b", "description": "x"}'), /name: use 1 to 48 small letters/],
    ['a.py', python('{"name": "docs__search", "description": "x"}'), /single underscores/],
    [
      'a.py',
      python('{"description": "x", "input_schema": {"type": "array"}}'),
      /input_schema: its type must be object/,
    ],
    ['Ähm.py', python('{"description": "x"}'), /Its file name is no name of a tool/],
    ['a.js', 'export default {\n  description: `x${process.env.HOME}`,\n  execute() {},\n};', /^Line 2: .*is computed/],
    ['a.js', 'export default defineTool({ description: "x", execute() {} });', /the tool is no object/],
    ['a.js', 'const a = b;\nconst b = a;\nexport default a;', /too large or nested too deep/],
    [
      'a.js',
      `export default { description: "x", execute() {}, input_schema: ${'{a:'.repeat(300)}1${'}'.repeat(300)} };`,
      /nested too deep/,
    ],
    ['a.js', 'console.log(1)', /neither a header .* nor an object "export default/],
    ['a.sh', 'echo hi', /it has no header/],
    ['a.sh', '# /// dewpoint-tool\n# description = "x"\necho', /^Line 3: the header has no end/],
    ['a.sh', `# /// dewpoint-tool\n${'# a = 1\n'.repeat(20_000)}`, /the header has no end/],
    [
      'a.sh',
      '#!/bin/sh\n# /// dewpoint-tool\n# description = "x"\n# hosts = [1, "\n# ///\n',
      /^Line 4: the header is not right TOML/,
    ],
    [
      'a.sh',
      '# /// dewpoint-tool\n# description = "x"\n# __proto__.a = 1\n# ///\n',
      /^Line 3: the header is not right TOML/,
    ],
    ['a.lua', '-- /// dewpoint-tool\n-- description = "x"\n-- ///\n', /^Line 1: nothing says what runs it/],
  ])('%s %j names the error and its place', async (file, text, problem) => {
    expect(await problemOf(file, text)).toMatch(problem);
  });

  it('is found quickly, however the file is built', async () => {
    const doubled = Array.from({ length: 30 }, (_, at) => `const a${at + 1} = [a${at}, a${at}];`).join('\n');
    const text = `const a0 = 'x';\n${doubled}\nexport default { description: 'x', execute() {}, input_schema: { a: a30 } };`;
    expect(await problemOf('a.js', text)).toContain('too large or nested too deep');
    const long = `#!/bin/sh\n${`# ${'/'.repeat(2_000)}\n`.repeat(100)}`;
    expect(await problemOf('a', long)).toContain('it has no header');
  });
});

describe('the files in a folder of tools', () => {
  it('count as tools by their ending, first line or header only', () => {
    expect(looksLikeTool('README.md', '# Tools')).toBe(false);
    expect(looksLikeTool('data.json', '{}')).toBe(false);
    expect(looksLikeTool('broken.py', 'x')).toBe(true);
    expect(looksLikeTool('say', same['say'] ?? '')).toBe(true);
  });
});

describe('an example of a tool', () => {
  it.each(['template.py', 'template.js', 'template.sh', 'create_issue.py', 'chat_message.js'])(
    '%s is valid',
    async (file) => {
      const text = readFileSync(resolve('resources/tools', file), 'utf8').replaceAll('TOOL_NAME', 'made');
      expect(await read(file, text)).toMatchObject({ name: 'made' });
    },
  );
});
