import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';

/** The grammars that ship, by their files. */
const files = {
  bash: 'tree-sitter-bash.wasm',
  'c-sharp': 'tree-sitter-c-sharp.wasm',
  cpp: 'tree-sitter-cpp.wasm',
  go: 'tree-sitter-go.wasm',
  java: 'tree-sitter-java.wasm',
  javascript: 'tree-sitter-javascript.wasm',
  php: 'tree-sitter-php.wasm',
  python: 'tree-sitter-python.wasm',
  ruby: 'tree-sitter-ruby.wasm',
  rust: 'tree-sitter-rust.wasm',
  tsx: 'tree-sitter-tsx.wasm',
  typescript: 'tree-sitter-typescript.wasm',
} as const;

export type GrammarName = keyof typeof files;

let started: Promise<void> | null = null;
const loaded = new Map<GrammarName, Promise<Language>>();

/** A grammar, loaded at the first call and kept. A failed load is tried again. */
export function loadGrammar(name: GrammarName): Promise<Language> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = load(name).catch((error: unknown) => {
    loaded.delete(name);
    throw error;
  });
  loaded.set(name, loading);
  return loading;
}

async function load(name: GrammarName): Promise<Language> {
  started ??= startParser().catch((error: unknown) => {
    started = null;
    throw error;
  });
  await started;
  return Language.load(await bytesOf(`@vscode/tree-sitter-wasm/wasm/${files[name]}`));
}

async function startParser(): Promise<void> {
  await Parser.init({ wasmBinary: await bytesOf('web-tree-sitter/web-tree-sitter.wasm') });
}

/** Resolves the files from the packages at run time, in a bundle as in a checkout. */
async function bytesOf(name: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(name)));
}
