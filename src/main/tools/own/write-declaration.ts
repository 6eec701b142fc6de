import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import type { OwnToolDeclaration } from '@shared/tools/own-tool.ts';
import type { CodeLanguage } from '../../recipes/code/code-syntax.ts';
import type { SyntaxLoader } from './read-declaration.ts';
import { exportingLanguage, findHeader, readDeclaration } from './read-declaration.ts';
import type { ToolProblem } from './read-exported.ts';
import { exportedParts } from './read-exported.ts';

/** A declaration with its name. */
export type NamedDeclaration = OwnToolDeclaration & { readonly name: string };

/**
 * Returns the text of a file with the declaration `said`. In an exported object only the changed values are replaced,
 * so that code and comments stay. A header that differs is replaced as a whole. The new text is read again, so a
 * declaration that could not be written is a problem, never a wrong text.
 */
export async function writeDeclaration(
  file: string,
  text: string,
  said: NamedDeclaration,
  loadSyntax: SyntaxLoader,
): Promise<string | ToolProblem> {
  const before = await readDeclaration(file, text, loadSyntax);
  if ('problem' in before) return before;
  // Keeps the parts that the form does not show, such as the calls of a program.
  const wanted = { ...before.declaration, ...said };
  const changed = differing({ ...before.declaration, name: before.name }, wanted);
  if (changed.length === 0) return text;
  const header = findHeader(text);
  const language = exportingLanguage(file);
  const written =
    header !== null && !('problem' in header)
      ? withHeader(text, header, wanted)
      : language === null
        ? null
        : (await loadSyntax()).withTree(language, text, (root) => {
            const place = exportedParts(root, language);
            return place === null ? null : withValues(text, place, { wanted, changed, language });
          });
  const after = written === null ? null : await readDeclaration(file, written, loadSyntax);
  const isSaid =
    after !== null &&
    !('problem' in after) &&
    differing({ ...after.declaration, name: after.name }, wanted).length === 0;
  return isSaid && written !== null ? written : { problem: 'Its code says this in a way of its own. Change it there.' };
}

const order = [
  'name',
  'description',
  'version',
  'input_schema',
  'hosts',
  'secrets',
  'timeout_seconds',
  'calls',
] as const;
type Key = (typeof order)[number];

function differing(before: NamedDeclaration, wanted: NamedDeclaration): readonly Key[] {
  return order.filter((key) => !isDeepStrictEqual(plain(before[key]), plain(wanted[key])));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function withHeader(
  text: string,
  { begin, end, mark }: Exclude<ReturnType<typeof findHeader>, ToolProblem | null>,
  wanted: NamedDeclaration,
): string {
  const lines = text.split('\n');
  const said = Object.fromEntries(
    order.map((key) => [key, wanted[key]]).filter(([, value]) => value !== undefined && !isEmptyList(value)),
  );
  return [...lines.slice(0, begin + 1), ...headerBody(said, mark), ...lines.slice(end)].join('\n');
}

/** The lines of a header, without its first and last one. */
export function headerBody(said: object, mark: string): readonly string[] {
  const lines = stringify(said).trimEnd().split('\n');
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

interface Change {
  readonly wanted: NamedDeclaration;
  readonly changed: readonly Key[];
  readonly language: CodeLanguage;
}

function withValues(
  text: string,
  { begin, parts }: Exclude<ReturnType<typeof exportedParts>, null>,
  { wanted, changed, language }: Change,
): string {
  const isPython = language === 'python';
  const indent = isPython ? '    ' : '  ';
  const edits = changed.map((key) => {
    const literal = literalOf(wanted[key], { isPython, indent, depth: 1 });
    const part = parts.get(key);
    if (part !== undefined) return { ...part, literal };
    const line = `\n${indent}${isPython ? JSON.stringify(key) : key}: ${literal}`;
    // Inserts the key after the one that usually comes before it.
    const previous = order
      .slice(0, order.indexOf(key))
      .flatMap((other) => parts.get(other) ?? [])
      .at(-1);
    return previous === undefined
      ? { from: begin, to: begin, literal: `${line},` }
      : { from: previous.to, to: previous.to, literal: `,${line}` };
  });
  // From the end, so that earlier positions stay valid. Of two edits at one position, the later key goes first.
  return edits
    .reverse()
    .sort((left, right) => right.from - left.from)
    .reduce((rest, { from, to, literal }) => rest.slice(0, from) + literal + rest.slice(to), text);
}

interface Look {
  readonly isPython: boolean;
  readonly indent: string;
  readonly depth: number;
}

const longestLine = 90;
const plainKey = /^[A-Za-z_$][\w$]*$/;

/** A literal in the given language, on one line if it is short. */
function literalOf(value: unknown, look: Look): string {
  const { isPython, indent, depth } = look;
  if (value === null) return isPython ? 'None' : 'null';
  if (typeof value === 'boolean') return isPython ? (value ? 'True' : 'False') : String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = { ...look, depth: depth + 1 };
  const parts = Object.entries(value).map(([key, part]) => {
    const name = isPython || !plainKey.test(key) ? JSON.stringify(key) : key;
    return isList ? literalOf(part, inner) : `${name}: ${literalOf(part, inner)}`;
  });
  if (parts.length === 0) return isList ? '[]' : '{}';
  const [open, close] = isList ? '[]' : '{}';
  const isSpaced = !isPython && !isList;
  const line = `${open}${isSpaced ? ' ' : ''}${parts.join(', ')}${isSpaced ? ' ' : ''}${close}`;
  if (line.length <= longestLine - depth * indent.length && !line.includes('\n')) return line;
  const within = indent.repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${within}${part},\n`).join('')}${indent.repeat(depth)}${close}`;
}
