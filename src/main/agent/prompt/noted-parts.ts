import type { Part } from '@shared/models/model-messages.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { mapStrings } from '../../lib/map-strings.ts';

const keptCharacters = 160;
const longCharacters = 600;

/** The parts of an answer with their long texts as notes. A pure function of its argument. */
export function notedParts(parts: readonly Part[]): Part[] {
  return parts.map((part) => {
    if (part.type === 'text') return { ...part, text: noted(part.text) };
    if (part.type !== 'tool-call') return part;
    const { raw, ...rest } = part;
    const call = isLong(part.name) ? { ...rest, name: part.name.slice(0, keptCharacters) } : rest;
    if (isRecord(part.input)) return { ...call, input: mapStrings(part.input, noted) };
    return raw === undefined ? call : { ...call, raw: noted(raw) };
  });
}

/** A name that a model made up may have any length. */
export function isLong(name: string): boolean {
  return name.length > longCharacters;
}

function noted(text: string): string {
  if (text.length <= longCharacters) return text;
  const head = text.slice(0, keptCharacters).replace(/[\uD800-\uDBFF]$/u, '');
  return `${head}\n[… ${text.length - head.length} more characters that you wrote are left out here to make room …]`;
}
