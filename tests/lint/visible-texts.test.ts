import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ESTree } from 'vite';
import { Visitor, parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { en } from '../../src/renderer/texts/en.ts';

/**
 * Catches: a visible text that no translation can reach because it is in the code and not under a key, and a text that
 * nobody sees.
 */
const root = resolve(import.meta.dirname, '../..');

/** Attributes whose text is shown or read out. A component of Dewpoint with such an attribute shows it, too. */
const shown = new Set(['title', 'label', 'placeholder', 'alt', 'text', 'hint', 'caption', 'heading', 'unit']);
const isShown = (name: string): boolean =>
  shown.has(name) || ['aria-label', 'aria-description', 'aria-valuetext', 'aria-roledescription'].includes(name);

/** Texts that are in the code for a reason. */
const exceptions: readonly string[] = [
  // An address and a path as they are typed, the same in every language.
  'https://example.org/v1',
  'plans/a.md',
  'http://proxy.example.org:8080',
  'http://search.example.org:8888',
  '/etc/ssl/our-authority.pem',
  // The end of the name of a file.
  '.receipt',
  // The prefix by which the core recognizes a model on a hub.
  'hf:',
  // Shortcuts as they are stored. The palette has its own words for them.
  'Mod+',
  'Shift+',
];

/** Whether a text has two letters in a row. Symbols and one-letter units are the same in every language. */
const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text);
/** Whether a text is a sentence or a title. Class names, ids and events begin with a lower-case letter. */
const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}*[\s,:].*\p{L}{2}/u.test(text);

/** `path:line text` for each text that is shown without a key. */
function textsWithoutKey(path: string, source: string): readonly string[] {
  const { program } = parseSync(path, source);
  const found = new Map<number, string>();
  const add = (start: number, text: string): void => {
    const trimmed = text.trim();
    if (!exceptions.includes(trimmed) && !(trimmed in en))
      found.set(start, `${path}:${source.slice(0, start).split('\n').length} ${trimmed}`);
  };
  const addValues = (node: ESTree.Node | null): void => {
    for (const { start, text } of literalsOf(node)) if (hasWords(text)) add(start, text);
  };
  new Visitor({
    JSXText: ({ start, value }) => {
      if (hasWords(value.replaceAll(/&\w+;/gu, ''))) add(start, value);
    },
    JSXAttribute: ({ name, value }) => {
      if (name.type === 'JSXIdentifier' && isShown(name.name)) addValues(value);
    },
    JSXElement: ({ children }) =>
      children.forEach((child) => child.type === 'JSXExpressionContainer' && addValues(child)),
    JSXFragment: ({ children }) =>
      children.forEach((child) => child.type === 'JSXExpressionContainer' && addValues(child)),
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && isShown(key.name)) addValues(value);
    },
    Literal: ({ start, value }) => {
      if (typeof value === 'string' && isSentence(value)) add(start, value);
    },
    // A text that a function builds from a value and a word, such as a figure and its unit.
    ReturnStatement: ({ argument }) => {
      if (argument?.type === 'TemplateLiteral') addValues(argument);
    },
    TemplateElement: ({ start, value }) => {
      if (isSentence(value.raw)) add(start, value.raw);
    },
  }).visit(program);
  return [...found].toSorted(([a], [b]) => a - b).map(([, text]) => text);
}

/**
 * The literals that an expression can evaluate to, but not those that are compared, looked up or passed to a function.
 */
function literalsOf(node: ESTree.Node | null): readonly { readonly start: number; readonly text: string }[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [{ start: node.start, text: node.value }] : [];
    case 'TemplateLiteral':
      return [
        ...node.quasis.map(({ start, value }) => ({ start, text: value.raw })),
        ...node.expressions.flatMap(literalsOf),
      ];
    case 'JSXExpressionContainer':
      return literalsOf(node.expression);
    case 'ConditionalExpression':
      return [...literalsOf(node.consequent), ...literalsOf(node.alternate)];
    case 'LogicalExpression':
      return [...literalsOf(node.left), ...literalsOf(node.right)];
    case 'BinaryExpression':
      return node.operator === '+' ? [...literalsOf(node.left), ...literalsOf(node.right)] : [];
    default:
      return [];
  }
}

/** The folder of the texts themselves is left out. */
const unspoken: readonly string[] = ['src/renderer/texts'];

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return unspoken.includes(path) ? [] : sources(path);
    return /\.tsx?$/u.test(entry.name) ? [path] : [];
  });
}

/** The keys that a file names: each whole literal, and each template with any text in place of its values. */
function namesIn(path: string, source: string): readonly RegExp[] {
  const found: RegExp[] = [];
  const add = (parts: readonly string[]): void => {
    if (parts.some((part) => part.includes('.')) && parts.every((part) => /^[\w.-]*$/u.test(part)))
      found.push(new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[\\w-]+')}$`, 'u'));
  };
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') add([value]);
    },
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.raw)),
  }).visit(parseSync(path, source).program);
  return found;
}

describe('texts of the page', () => {
  it('are all used by the page', () => {
    const used = sources('src/renderer').flatMap((path) => namesIn(path, readFileSync(join(root, path), 'utf8')));
    const isUsed = (key: string): boolean => used.some((name) => name.test(key));
    expect(Object.keys(en).filter((key) => !isUsed(key) && !isUsed(key.replace(/\.(?:one|other)$/u, '')))).toEqual([]);
    expect(namesIn('a.ts', "t('a.b'); t(`c.${kind}.d`);").map((name) => name.test('c.x.d'))).toEqual([false, true]);
  });

  it('all have keys', () => {
    const found = sources('src/renderer').flatMap((path) =>
      textsWithoutKey(path, readFileSync(join(root, path), 'utf8')),
    );
    expect(found).toEqual([]);
  });

  it('are found wherever a person could see them', () => {
    const source = `
      const a = <p title="Some title">Some text {isOn ? 'on now' : t('app.off')} &nbsp;</p>;
      const b = <input aria-label={\`\${count} files\`} className="flex gap-2" placeholder={t('app.menu')} />;
      const c = { label: 'Undo', kind: 'info' };
      setProblem('It did not work.');
      const d = kind === 'whole text' && <>{name ?? 'nobody'}</>;
      function speed() { return \`\${count} tokens\`; }`;
    expect(textsWithoutKey('a.tsx', source).map((text) => text.replace(/^\S+ /u, ''))).toEqual([
      'Some title',
      'Some text',
      'on now',
      'files',
      'Undo',
      'It did not work.',
      'nobody',
      'tokens',
    ]);
  });
});
