import { describe, expect, it } from 'vitest';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { importFindings, reviewProgram } from '../../../../src/main/tools/programs/review-program.ts';
import type { ProgramLanguage } from '../../../../src/shared/tools/program-tool.ts';

const syntax = loadSyntax();

async function review(language: ProgramLanguage, text: string): Promise<readonly string[]> {
  const leaving = [
    { tool: { name: 'shop__get' }, most: 9, hosts: [] },
    { tool: { name: 'shop__delete_order' }, most: 3, hosts: ['shop.example.org'] },
  ];
  const [first, ...found] = reviewProgram({ language, text, leaving }, await syntax);
  expect(first).toBe('shop__delete_order, at most 3 times: its name speaks of deleting or of money.');
  return found;
}

/** Catches: a user who approves a program without a hint at what is unusual in it. */
describe('the review of a program', () => {
  it('reports nothing for plain code, comments and texts', async () => {
    const python =
      '# eval(os.environ) in base64\nfor n in range(3):\n    tools.shop__get(id=n)\nwhile n > 1:\n    n = tools.shop__get(id="eval")\nresult = "see https://shop.example.org/a"\n';
    expect(await review('python', python)).toEqual([]);
    const script =
      '// eval\nfor (let n = 0; n < 3; n += 1) await tools.shop__get({ id: n });\nfor (const n of [1]) await tools.call("shop__get", { id: n });\n';
    expect(await review('javascript', script)).toEqual([]);
  });

  it('reports the line of what stands out in Python', async () => {
    const text = `import os, base64
while True:
    tools.shop__get(id=os.environ["KEY"])
tools.call("shop__" + "get", id=1)
tools.call(f"shop__{1}", id=1)
open("/root/.ssh/id_rsa").read()
tools.shop__get(id="http://evil.example.com:80/x")
exec("x = 1")
`;
    expect(await review('python', text)).toEqual([
      'Line 1: it encodes or packs data. What leaves may then not be readable in the log.',
      'Line 3: shop__get is called in a loop that does not say when it ends. It gets at most 9 calls.',
      'Line 3: it reads variables of the sandbox, and has calls that leave the sandbox.',
      'Line 4: which tool is called here is known only when it runs.',
      'Line 6: it names a file of a kind that often holds secrets, and has calls that leave the sandbox.',
      'Line 7: evil.example.com is named and was not announced. Calls that reach it are refused.',
      'Line 8: it runs text as code, which these rules cannot read.',
    ]);
  });

  it('reports where a program can load or start something unnamed', async () => {
    expect(await review('python', 'import runpy, subprocess\nos.system("x")\n__import__(name)\n')).toEqual([
      'Line 1: it can load what is named only when it runs, which these rules cannot read.',
      'Line 1: it can start other programs, which these rules cannot read.',
      'Line 3: which module is imported here is known only when it runs. A file of the project that is not named here is refused.',
    ]);
    const text =
      "import { createRequire } from 'node:module';\nnew Worker('./x.js');\nimport(`./x.js`);\nimport(`./${x}.js`);\n";
    expect((await review('javascript', text)).map((one) => one.slice(0, 30))).toEqual([
      'Line 1: it can load what is na',
      'Line 2: it can start other pro',
      'Line 4: which module is import',
    ]);
  });

  it('reports text that is run as code, whatever it is called', async () => {
    const code = 'Line 1: it runs text as code, which these rules cannot read.';
    for (const text of ['builtins.exec("x")', 'compile("x", "y", "exec")'])
      expect(await review('python', text)).toEqual([code]);
    for (const text of ['new Function("x")()', 'Function("x")', 'globalThis.eval("x")'])
      expect(await review('javascript', text)).toEqual([code]);
    expect(await review('python', 're.compile("x")')).toEqual([]);
  });

  it('names every file of the project that it imports', () => {
    const imports = Array.from({ length: 12 }, (_, at) => ({ line: at + 1, path: `lib/${at}.js` }));
    const found = importFindings([...imports, { line: 20, path: 'a b.js' }]);
    expect(found).toHaveLength(9);
    for (const { path } of imports) expect(found.join()).toContain(path);
    expect(found.at(-1)).toBe(
      'It also imports lib/8.js, lib/9.js, lib/10.js, lib/11.js, a file with an odd name of the project, likewise.',
    );
  });

  it('reports the same in JavaScript', async () => {
    const text = `for (;;) await tools.shop__get({ id: process.env.KEY });
do { await tools.call('shop__delete_order', {}); } while (true);
await tools.call(name, {});
new TextDecoder(); btoa('x'); readFileSync('.env');
eval('1');
`;
    expect((await review('javascript', text)).map((one) => one.slice(0, 40))).toEqual([
      'Line 1: shop__get is called in a loop th',
      'Line 1: it reads variables of the sandbo',
      'Line 2: shop__delete_order is called in ',
      'Line 3: which tool is called here is kno',
      'Line 4: it encodes or packs data. What l',
      'Line 4: it names a file of a kind that o',
      'Line 5: it runs text as code, which thes',
    ]);
  });

  it('survives text that is deeply nested or broken', async () => {
    expect(await review('python', '('.repeat(20_000))).toEqual([]);
    expect(await review('javascript', `${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toEqual([
      'It is too large: only its beginning was reviewed.',
    ]);
  });
});
