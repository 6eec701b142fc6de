import type { Part } from '@shared/models/model-messages.ts';
import type { Entry } from '../../recipes/conversation-entries.ts';
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

/** Whether a model has a text in its own words and in the result of its last call, as with a question. */
export function hasText(last: Entry, text: string): boolean {
  if (last.type !== 'assistant') return false;
  const result = last.calls.at(-1)?.result?.text ?? '';
  const own = last.parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])).join('\n\n');
  const rest = text.replace(own, () => '').trim();
  return rest !== '' && result.includes(rest);
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
