import { beforeAll, expect, test } from 'vitest';
import { findSpans } from '../../../../src/main/recipes/code/code-spans.ts';
import {
  languageOf,
  loadSyntax,
  type CodeLanguage,
  type Syntax,
} from '../../../../src/main/recipes/code/code-syntax.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

const brief = (language: CodeLanguage, text: string) =>
  findSpans(syntax, { path: 'x', language, text }).map((span) => [
    span.kind,
    span.name,
    span.startLine,
    span.headEndLine,
    span.endLine,
  ]);

const python = `"""Doc."""
import os

LIMIT = 3
NAMES = ["a"]


@cache
def total(items):
    """Sum.

    Of all.
    """
    return sum(items)


class Cart:
    size = 0

    @property
    def empty(self):
        return not self.items
`;

test('the finder of code spans finds functions with decorators, methods, classes and blocks of Python', () => {
  expect(brief('python', python)).toEqual([
    ['block', 'LIMIT', 4, 4, 4],
    ['block', 'NAMES', 5, 5, 5],
    ['function', 'total', 8, 13, 14],
    ['class', 'Cart', 17, 19, 22],
    ['method', 'Cart.empty', 20, 21, 22],
  ]);
});

test('the finder of code spans finds functions of JavaScript in all spellings', () => {
  const text = `const LIMIT = 3;
export function a() {
  return 1;
}
export const b = async (x) => {
  return x;
};
exports.c = function () {
  return 2;
};
class D {
  m() {
    return 3;
  }
}
module.exports = { e() { return 4; } };
`;
  expect(brief('javascript', text).map((span) => span.slice(0, 2))).toEqual([
    ['block', 'LIMIT'],
    ['function', 'a'],
    ['function', 'b'],
    ['function', 'c'],
    ['class', 'D'],
    ['method', 'D.m'],
    ['method', 'module.exports.e'],
  ]);
});

test('the finder of code spans finds a function that is all of an export, and passes over a list of exports', () => {
  expect(brief('javascript', 'module.exports = function (text) {\n  return text;\n};\n')).toEqual([
    ['function', 'module.exports', 1, 1, 3],
  ]);
  expect(brief('javascript', 'module.exports = parse;\n')).toEqual([]);
  expect(brief('javascript', 'module.exports = { parse, print };\n')).toEqual([]);
});

test('the finder of code spans finds typed functions and leaves types alone', () => {
  const text = `interface A { x: number }
export function f<T>(x: T): T {
  return x;
}
`;
  expect(brief('typescript', text).at(-1)).toEqual(['function', 'f', 2, 2, 4]);
});

const component = `import { memo } from 'react';

interface Props { readonly items: readonly string[] }

export const Cart = memo(forwardRef<HTMLUListElement, Props>(({ items }, ref) => {
  const shown = items.slice(0, 3);
  return <ul ref={ref}>{shown.map((item) => <Row key={item} name={item} />)}</ul>;
}));

export function Row({ name }: { name: string }) {
  return <li>{name}</li>;
}

export default memo(function Page() {
  return <Cart items={[]} />;
});
`;

test('the finder of code spans finds the components of a React source with types, and what they use', () => {
  expect(languageOf('src/cart.tsx')).toBe('tsx');
  expect(syntax.errorLine('tsx', component)).toBeNull();
  expect(syntax.errorLine('typescript', component)).not.toBeNull();
  expect(brief('tsx', component).filter(([kind]) => kind === 'function')).toEqual([
    ['function', 'Cart', 5, 5, 8],
    ['function', 'Row', 10, 10, 12],
    ['function', 'Page', 14, 14, 16],
  ]);
  const cart = findSpans(syntax, { path: 'x', language: 'tsx', text: component }).find((one) => one.name === 'Cart');
  expect(cart?.names).toContain('Row');
});

test.each([
  ['a.jsx', 'javascript'],
  ['a.mts', 'typescript'],
  ['a.cts', 'typescript'],
  ['a.d.ts', null],
  ['a.d.mts', null],
])('the language of %s is %s', (path, language) => {
  expect(languageOf(path)).toBe(language);
});

test('the parser names the line of a text that does not parse', () => {
  expect(syntax.errorLine('python', 'x = 1\ny = (\n')).toBe(2);
  expect(syntax.errorLine('javascript', 'const x = 1;\n')).toBeNull();
});
