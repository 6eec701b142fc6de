import { z } from 'zod';
import { shortenText } from '@shared/text/shorten-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { withoutEscapes } from '@shared/text/seen-text.ts';
import { pathOf } from './workspace-uri.ts';

/** Answers of language servers as values of ours. What is wrong in them is left out; no text of theirs stays long. */

const most = 10_000;
const longestMessage = 300;
const longestHover = 2_000;
const count = z.number().int().nonnegative();
const position = z.object({ line: count, character: count });
const range = z.object({ start: position, end: position });

export type Position = z.infer<typeof position>;
export type Range = z.infer<typeof range>;

/** An error in a file. `line` counts from 1. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface FoundPlace {
  readonly path: string;
  readonly range: Range;
}

export interface FoundSymbol {
  readonly name: string;
  readonly kind: string;
  /** From 1. */
  readonly line: number;
  readonly depth: number;
}

export interface TextChange {
  readonly range: Range;
  readonly newText: string;
}

const problem = z.object({ range, message: z.string(), severity: z.number().optional(), code: z.unknown().optional() });

/** The errors among the diagnostics of a file, without warnings and hints. */
export function readProblems(path: string, value: unknown): readonly Problem[] {
  return listOf(value, problem).flatMap(({ range: { start }, message, severity = 1, code }) => {
    if (severity !== 1) return [];
    const named = typeof code === 'string' || typeof code === 'number' ? ` (${shortenText(String(code), 60)})` : '';
    return [{ path, line: start.line + 1, text: `${lineText(message)}${named}` }];
  });
}

const place = z.object({ uri: z.string(), range });
const link = z.object({ targetUri: z.string(), targetSelectionRange: range });

/** Places of the workspace, each once, and how many more lie elsewhere. */
export function readPlaces(
  root: string,
  value: unknown,
): { readonly places: readonly FoundPlace[]; readonly outside: number } {
  const values = Array.isArray(value) || value === null ? value : [value];
  const found = new Map<string, FoundPlace>();
  let outside = 0;
  for (const one of listOf(values, z.union([place, link]))) {
    const at = 'uri' in one ? one : { uri: one.targetUri, range: one.targetSelectionRange };
    const path = pathOf(root, at.uri);
    if (path === null) outside += 1;
    else found.set(JSON.stringify([path, at.range]), { path, range: at.range });
  }
  return { places: [...found.values()], outside };
}

/** The text of a hover; empty: there is none. */
export function readHover(value: unknown): string {
  const contents = fieldOf(value, 'contents');
  const parts = Array.isArray(contents) ? contents.slice(0, 20) : [contents];
  const texts = parts.flatMap((part) => {
    const text: unknown = isRecord(part) ? part['value'] : part;
    return typeof text === 'string' ? [text] : [];
  });
  return shortenText(withoutEscapes(texts.join('\n')).trim(), longestHover);
}

const kinds = [
  '',
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
] as const;

/** The symbols of a file with those inside of them. */
export function readSymbols(value: unknown): readonly FoundSymbol[] {
  const found: FoundSymbol[] = [];
  const read = (values: unknown, depth: number): void => {
    if (!Array.isArray(values) || depth > 10) return;
    for (const one of values) {
      if (found.length >= most || !isRecord(one)) return;
      const at = range.safeParse(one['selectionRange'] ?? fieldOf(one['location'], 'range'));
      const { name, kind } = one;
      if (!at.success || typeof name !== 'string') continue;
      const kindName = typeof kind === 'number' ? (kinds[kind] ?? '') : '';
      found.push({ name: shortenText(lineText(name), 200), kind: kindName, line: at.data.start.line + 1, depth });
      read(one['children'], depth + 1);
    }
  };
  read(value, 0);
  return found;
}

const textEdit = z.object({ range, newText: z.string() });
const documentEdit = z.object({ textDocument: z.object({ uri: z.string() }), edits: z.array(textEdit).max(most) });

/** The edits of a rename by file, or why they are refused. */
export function readEdits(root: string, value: unknown): ReadonlyMap<string, readonly TextChange[]> | string {
  const byUri = new Map<string, readonly TextChange[]>();
  const { documentChanges, changes } = isRecord(value) ? value : {};
  if (Array.isArray(documentChanges)) {
    for (const one of documentChanges.slice(0, most)) {
      const parsed = documentEdit.safeParse(one);
      if (!parsed.success) return 'the server wants to create, move or delete files, or its edits cannot be read';
      const { textDocument, edits } = parsed.data;
      byUri.set(textDocument.uri, [...(byUri.get(textDocument.uri) ?? []), ...edits]);
    }
  } else if (isRecord(changes)) {
    for (const [uri, edits] of Object.entries(changes)) {
      const parsed = z.array(textEdit).max(most).safeParse(edits);
      if (!parsed.success) return 'its edits cannot be read';
      byUri.set(uri, parsed.data);
    }
  }
  const byPath = new Map<string, readonly TextChange[]>();
  for (const [uri, edits] of byUri) {
    const path = pathOf(root, uri);
    if (path === null) return 'it would change a file outside the project';
    if (edits.length > 0) byPath.set(path, edits);
  }
  return byPath;
}

function listOf<T>(value: unknown, schema: z.ZodType<T>): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, most).flatMap((one) => {
    const parsed = schema.safeParse(one);
    return parsed.success ? [parsed.data] : [];
  });
}

/** On one line. */
function lineText(text: string): string {
  return shortenText(withoutEscapes(text).replaceAll(/\s+/gu, ' ').trim(), longestMessage);
}
