import { stringify } from 'smol-toml';
import type { OwnToolDeclaration } from '@shared/tools/own-tool.ts';
import { findHeader } from './read-declaration.ts';

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

/** The text with a header that says `said`, in place of the header that it has. */
export function withHeader(text: string, said: OwnToolDeclaration): string {
  const header = findHeader(text);
  if (header === null || 'problem' in header) throw new Error('The text has no header that can be read.');
  const lines = text.split('\n');
  const kept = order
    .map((key) => [key, said[key]] as const)
    .filter(([, value]) => value !== undefined && !isEmptyList(value));
  const body = headerBody(Object.fromEntries(kept), header.mark);
  return [...lines.slice(0, header.begin + 1), ...body, ...lines.slice(header.end)].join('\n');
}

/** The lines of a header, without its first and last one. */
export function headerBody(said: object, mark: string): readonly string[] {
  const lines = stringify(said).trimEnd().split('\n');
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
