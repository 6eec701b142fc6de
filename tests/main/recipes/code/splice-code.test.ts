import { beforeAll, describe, expect, test } from 'vitest';
import { findSpans } from '../../../../src/main/recipes/code/code-spans.ts';
import { languageOf, loadSyntax, type Syntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import { codeOf, dedent, spliceSpan } from '../../../../src/main/recipes/code/splice-code.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

function splice(path: string, text: string, name: string, answer: string) {
  const language = languageOf(path);
  if (language === null) throw new Error('no language');
  const span = findSpans(syntax, { path, language, text }).find((one) => one.name === name);
  if (span === undefined) throw new Error(`no ${name}`);
  return spliceSpan(syntax, text, span, answer);
}

const cart = `class Cart:
    def __init__(self):
        self.items = []

    @property
    def total(self):
        """Sum of all."""
        return sum(self.items) - 1
`;

describe('a rewritten span', () => {
  test('gets the indentation of its place and keeps its decorator', () => {
    const answer = '```python\ndef total(self):\n    """Sum of all."""\n    return sum(self.items)\n```';
    expect(splice('cart.py', cart, 'Cart.total', answer)).toEqual({ ok: true, text: cart.replace(' - 1', '') });
  });

  test('is put in place of a component of a React source', () => {
    const page = 'export const Row: FC<Props> = ({ name }) => {\n  return <li>{name}</li>;\n};\n';
    const answer = '```tsx\nconst Row: FC<Props> = ({ name }) => {\n  return <li title={name}>{name}</li>;\n};\n```';
    expect(splice('row.tsx', page, 'Row', answer)).toEqual({
      ok: true,
      text: page.replace('<li>', '<li title={name}>'),
    });
    expect(splice('row.tsx', page, 'Row', answer.replace('</li>', ''))).toEqual({ ok: false, reason: 'unparsed' });
  });

  test('is found in an answer that repeats its class', () => {
    const answer =
      '```python\nclass Cart:\n    @property\n    def total(self):\n        """Sum of all."""\n        return sum(self.items)\n```\nThat is it.';
    expect(splice('cart.py', cart, 'Cart.total', answer)).toEqual({ ok: true, text: cart.replace(' - 1', '') });
  });

  test('keeps its export', () => {
    const text = 'export function add(a, b) {\n  return a - b;\n}\n';
    const answer = '```js\nfunction add(a, b) {\n  return a + b;\n}\n```';
    expect(splice('add.js', text, 'add', answer)).toEqual({ ok: true, text: text.replace('-', '+') });
  });

  test('may be a bare method', () => {
    const text = 'class A {\n  size() {\n    return 1;\n  }\n}\n';
    const answer = '```js\nsize() {\n  return 2;\n}';
    expect(splice('a.js', text, 'A.size', answer)).toEqual({ ok: true, text: text.replace('1', '2') });
  });

  test('brings the imports and helpers that it needs', () => {
    const text = 'import os\n\n\ndef root(x):\n    return x\n';
    const answer =
      '```python\nimport math\n\ndef check(x):\n    return x >= 0\n\ndef root(x):\n    return math.sqrt(x) if check(x) else 0\n```';
    expect(splice('m.py', text, 'root', answer)).toEqual({
      ok: true,
      text: 'import os\nimport math\n\n\ndef check(x):\n    return x >= 0\n\n\ndef root(x):\n    return math.sqrt(x) if check(x) else 0\n',
    });
  });

  test('is refused when it is unchanged, shortened, cut or empty', () => {
    const reason = (answer: string) => {
      const result = splice('cart.py', cart, 'Cart.total', answer);
      return result.ok ? 'ok' : result.reason;
    };
    expect(
      reason('```python\n@property\ndef total(self):\n    """Sum of all."""\n    return sum(self.items) - 1\n```'),
    ).toBe('unchanged');
    expect(reason('```python\ndef total(self):\n    # ... rest of the code\n    return 1\n```')).toBe('elided');
    expect(reason('```python\ndef total(self):\n    return sum(self.items\n```')).toBe('unparsed');
    expect(reason('```python\n\n```')).toBe('empty');
  });
});

test('the code of an answer is its first fence, or all of it', () => {
  expect(codeOf('Here:\n```js\na();\n```\nand\n```js\nb();\n```')).toBe('a();');
  expect(codeOf('a();\n')).toBe('a();');
  expect(codeOf('```js\na();\nb(')).toBe('a();\nb(');
});

test('an answer of very many lines loses the indentation that they share', () => {
  expect(dedent('  a\n'.repeat(200_000))).toBe('a\n'.repeat(200_000).trimEnd());
});
