import { describe, expect, it } from 'vitest';
import { tagExtractor, usualLimits } from '../../../../src/main/symbols/tags/extract-tags.ts';
import { tagLanguageOf, type TagLanguage } from '../../../../src/main/symbols/tags/tag-languages.ts';

/** Catches: a query that no longer fits its grammar, names that get lost, and files that stop or fill the process. */
const samples: readonly {
  readonly language: TagLanguage;
  readonly text: string;
  readonly defined: readonly string[];
  readonly used: readonly string[];
}[] = [
  {
    language: 'python',
    text: 'from a import b\nLIMIT = 4\nclass K(Base):\n    def m(self, x: int,\n          y=3) -> str:\n        return h(x)\n',
    defined: ['LIMIT: LIMIT', 'K: class K(Base)', 'K.m: def m(self, x: int, y=3) -> str'],
    used: ['b', 'Base', 'h'],
  },
  {
    language: 'typescript',
    text: 'export const A = 5;\nexport const f = async (a: B) => { g(a); };\nclass K { m(x: number): void {} }\ninterface I { n(): void }\ntype X = Y;\nenum E { a }\n',
    defined: [
      'A: const A',
      'f: f = async (a: B)',
      'K: class K',
      'K.m: m(x: number): void',
      'I: interface I',
      'X: type X = Y',
    ],
    used: ['B', 'g', 'Y'],
  },
  {
    language: 'tsx',
    text: 'export function App({ a }: Props) {\n  return <Button onClick={() => go(a)}>x</Button>;\n}\n',
    defined: ['App: function App({ a }: Props)'],
    used: ['Props', 'Button', 'go'],
  },
  {
    language: 'javascript',
    text: 'import { run } from "./a.js";\nclass A extends B { go() { return run(); } }\nexport default function main() {}\n',
    defined: ['A: class A extends B', 'A.go: go()', 'main: function main()'],
    used: ['run'],
  },
  {
    // Bug: each `require` was a definition in the map of a package, and what it exports was used nowhere.
    language: 'javascript',
    text: 'const x = require("./x");\nconst { a, b: c } = require("y");\nconst z = require("./z").default;\nlet open;\nconst made = x(1);\nconst required = 2;\nmodule.exports = made;\nmodule.exports = {\n  x,\n  open: open,\n};\n',
    defined: ['open: let open', 'made: const made', 'required: const required'],
    used: ['x', 'a', 'b', 'z', 'made'],
  },
  {
    language: 'typescript',
    text: 'const { join } = await import("node:path");\nexport const kept = await import("./kept.ts");\nconst f = (): number => 1;\nexport { f };\nexport default f;\n',
    defined: ['kept: const kept', 'f: f = (): number'],
    used: ['join', 'f'],
  },
  {
    language: 'go',
    text: 'package p\ntype T struct { a int }\nfunc (t *T) M(x U) error { return f(x) }\nfunc f(x U) error { return nil }\n',
    defined: ['T: T struct { a int }', 'T.M: func (t *T) M(x U) error', 'f: func f(x U) error'],
    used: ['U', 'f'],
  },
  {
    language: 'rust',
    text: 'pub struct S { a: u8 }\nimpl S { pub fn new(a: u8) -> Self { helper(a); S { a } } }\nfn helper(a: u8) {}\n',
    defined: ['S: pub struct S', 'S.new: pub fn new(a: u8) -> Self', 'helper: fn helper(a: u8)'],
    used: ['helper', 'S'],
  },
  {
    language: 'java',
    text: 'class A extends B { A(int x) {} public String m(int a) { return q.z(a); } enum E { X } }',
    defined: ['A: class A extends B', 'A.m: public String m(int a)', 'A.E: enum E'],
    used: ['B', 'String', 'z'],
  },
  {
    language: 'c-sharp',
    text: 'namespace N { public class A : B { public int P { get; set; } public string M(C a) { return Q(a); } } struct S {} }',
    defined: [
      'N: namespace N',
      'N.A: public class A : B',
      'A.P: public int P',
      'A.M: public string M(C a)',
      'N.S: struct S',
    ],
    used: ['B', 'C', 'Q'],
  },
  {
    language: 'c',
    text: '#define M(a) a\nstruct s { int a; };\nstatic int *foo(struct s *p, int b)\n{\n  return bar(p->a);\n}\n',
    defined: ['M: #define M(a) a', 's: struct s', 'foo: static int *foo(struct s *p, int b)'],
    used: ['bar'],
  },
  {
    language: 'cpp',
    text: 'namespace n { class A : public B { void m(int a); }; }\nint A::x() { return q(1); }\n',
    defined: ['n: namespace n', 'n.A: class A : public B', 'A.m: void m(int a)', 'A.x: int A::x()'],
    used: ['B', 'q'],
  },
  {
    language: 'ruby',
    text: 'module M\n  class A < B\n    def m(a)\n      run(a)\n    end\n  end\nend\n',
    defined: ['M: module M', 'M.A: class A < B', 'A.m: def m(a)'],
    used: ['B', 'run'],
  },
  {
    language: 'php',
    text: '<?php class A extends B { private $p = "secret"; function m($a) { return f($a); } } function f($x) { return new A(); }',
    defined: ['A: class A extends B', 'A.p: private $p', 'A.m: function m($a)', 'f: function f($x)'],
    used: ['B', 'A', 'f'],
  },
  {
    language: 'bash',
    text: 'deploy() {\n  build "$1"\n}\ndeploy x\n',
    defined: ['deploy: deploy()'],
    used: ['build', 'deploy'],
  },
];

const tagsIn = async (language: TagLanguage, text: string, limits = usualLimits) =>
  (await tagExtractor(language, limits))(text);

describe('tags of a text', () => {
  it.each(samples)('in $language name what is defined, with its signature, and what is used', async (sample) => {
    const { definitions, references, isCut } = await tagsIn(sample.language, sample.text);
    const shown = definitions.map(({ name, container, signature }) =>
      container === null ? `${name}: ${signature}` : `${container}.${name}: ${signature}`,
    );
    expect(shown).toEqual(expect.arrayContaining([...sample.defined]));
    expect(references.map(({ name }) => name)).toEqual(expect.arrayContaining([...sample.used]));
    expect(isCut).toBe(false);
  });

  it('count lines from 1 and know where a definition ends', async () => {
    const { definitions } = await tagsIn('python', '\ndef a():\n    return 1\n\ndef b():\n    pass\n');
    expect(definitions.map(({ name, line, endLine }) => [name, line, endLine])).toEqual([
      ['a', 2, 3],
      ['b', 5, 6],
    ]);
  });

  it('leave out the value of a constant, which may be a secret', async () => {
    const texts = [
      ['python', 'KEY = "sk-123"\n'],
      ['typescript', 'export const KEY = "sk-123";\n'],
      ['go', 'package p\nconst KEY = "sk-123"\n'],
      ['rust', 'const KEY: &str = "sk-123";\n'],
    ] as const;
    for (const [language, text] of texts) {
      const tags = await tagsIn(language, text);
      expect(tags.definitions.map(({ name }) => name)).toEqual(['KEY']);
      expect(JSON.stringify(tags)).not.toContain('sk-123');
    }
  });

  it('keep names in all scripts', async () => {
    const text = 'def größe(): pass\ndef 計算(): return größe()\nclass Имя: pass\n';
    const { definitions } = await tagsIn('python', text);
    expect(definitions.map(({ name }) => name)).toEqual(['größe', '計算', 'Имя']);
  });

  it('are found in a text with an error', async () => {
    const { definitions } = await tagsIn('python', 'def a(:\n  pass\n\ndef b():\n    return 1\n');
    expect(definitions.map(({ name }) => name)).toContain('b');
  });

  it('are none in a line of ten megabytes, and in a minified file', async () => {
    const huge = await tagsIn('javascript', `var a=[${'1,'.repeat(5_000_000)}];`);
    const minified = await tagsIn('javascript', `function a(){${'b();'.repeat(20_000)}}`);
    const none = { definitions: [], references: [], isCut: true };
    expect([huge, minified]).toEqual([none, none]);
  });

  it('are found in time in a text that is nested deeply', async () => {
    const started = performance.now();
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
      ['f(', ')'],
    ] as const) {
      const deep = `${`${open}\n`.repeat(20_000)}${`${close}\n`.repeat(20_000)}`;
      await tagsIn('typescript', deep);
    }
    const { definitions } = await tagsIn('python', 'def after(): pass\n');
    expect(definitions.map(({ name }) => name)).toEqual(['after']);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('end at the limit, and say so', async () => {
    const limits = { ...usualLimits, mostTags: 10 };
    const tags = await tagsIn('python', 'def a(): pass\n'.repeat(50), limits);
    expect(tags.definitions).toHaveLength(10);
    expect(tags.isCut).toBe(true);
  });
});

describe('the language of a file', () => {
  it('comes from the ending of its name', () => {
    const found = ['a/b.py', 'x.TSX', 'lib.rs', 'm.hpp', 'README.md', '.py', 'Makefile'].map(tagLanguageOf);
    expect(found).toEqual(['python', 'tsx', 'rust', 'cpp', null, null, null]);
  });
});
