import type { GrammarState, HighlighterCore } from 'shiki/core';
import { whenIdle } from './when-idle.ts';

/** A run of code in one color. The color is a CSS variable, so that it works in both themes. */
export interface CodeRun {
  readonly text: string;
  readonly color: string | undefined;
}

const loaders = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
} as const;

type Language = keyof typeof loaders;

const aliases: Readonly<Record<string, Language>> = {
  cc: 'c',
  cjs: 'javascript',
  cpp: 'c',
  h: 'c',
  js: 'javascript',
  jsx: 'tsx',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** Longer code is shown without colors, so that no frame is lost. */
const limitCharacters = 100_000;

/** Compiled patterns of the grammars. */
const patterns = new Map<string, RegExp | Error>();
/** Patterns are compiled for at most this long at a time. */
const patternsMs = 8;

/** V8 parses a pattern at its first use and compiles it at its second. That is most of the time. */
const usesToBeReady = 2;

let making: Promise<HighlighterCore> | null = null;

/** Number of lines that are tokenized at a time, a few milliseconds. Then the page gets a turn. */
const linesAtOnce = 40;

/** Code as lines of runs; null for an unknown language or code that is too long. Grammars load when first needed. */
export async function highlight(code: string, name: string): Promise<readonly (readonly CodeRun[])[] | null> {
  const language = languageOf(name);
  if (language === null || code.length > limitCharacters) return null;
  const highlighter = await (making ??= make());
  if (!highlighter.getLoadedLanguages().includes(language)) {
    const { default: grammars } = await loaders[language]();
    await makeReady(grammars);
    await highlighter.loadLanguage(...grammars);
  }
  const lines = code.split('\n');
  const runs: (readonly CodeRun[])[] = [];
  let state: { readonly grammarState?: GrammarState } = {};
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    await new Promise<void>((resolve) => void whenIdle(resolve));
    const part = lines.slice(from, from + linesAtOnce).join('\n');
    const read = highlighter.codeToTokens(part, { lang: language, theme: 'css-variables', ...state });
    runs.push(...read.tokens.map((line) => line.map((token) => ({ text: token.content, color: token.color }))));
    state = read.grammarState === undefined ? {} : { grammarState: read.grammarState };
  }
  return runs;
}

/**
 * Compiles the patterns of grammars, a few milliseconds at a time. Otherwise, the first line would make a large grammar
 * compile hundreds at once, for half a second.
 */
async function makeReady(grammars: unknown): Promise<void> {
  const { defaultJavaScriptRegexConstructor: makePattern } = await import('shiki/engine/javascript');
  let began = Number.NEGATIVE_INFINITY;
  const giveWay = async (): Promise<void> => {
    if (performance.now() - began <= patternsMs) return;
    await new Promise<void>((resolve) => void whenIdle(resolve));
    began = performance.now();
  };
  for (const source of patternsOf(grammars)) {
    if (patterns.has(source)) continue;
    await giveWay();
    try {
      const pattern = makePattern(source);
      for (let use = 0; use < usesToBeReady; use += 1) {
        await giveWay();
        pattern.exec(' ');
      }
      pattern.lastIndex = 0;
      patterns.set(source, pattern);
    } catch (error) {
      // A pattern that this engine does not support is skipped later, too.
      patterns.set(source, error instanceof Error ? error : new Error(String(error)));
    }
  }
}

const patternKeys: readonly string[] = ['match', 'begin', 'end', 'while'];

function* patternsOf(grammar: unknown): Iterable<string> {
  if (typeof grammar !== 'object' || grammar === null) return;
  for (const [key, value] of Object.entries(grammar)) {
    if (typeof value === 'string' && patternKeys.includes(key)) yield value;
    else yield* patternsOf(value);
  }
}

export function languageOf(name: string): Language | null {
  const lower = name.toLowerCase();
  return isLanguage(lower) ? lower : (aliases[lower] ?? null);
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(loaders, name);
}

async function make(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'css-variables', variablePrefix: '--shiki-' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true, cache: patterns }),
  });
}
