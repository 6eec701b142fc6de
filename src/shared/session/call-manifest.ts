import { z } from 'zod';
import type { FenceHit } from '@shared/safety/fences.ts';
import { fenceHitSchema } from '@shared/safety/fences.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** One item that a call carries. */
const carriedSchema = z.object({
  role: z.string(),
  /** `text`, `tool-result`, `image`, …; otherwise the field of the request, such as `tools` or `output`. */
  kind: z.string(),
  /** Size in UTF-8; for an image, the size of the file. */
  bytes: z.number().int(),
  /** Where the item comes from, if the call says so: the tool and the path it was called with. */
  origin: z.string().nullable(),
  text: z.string(),
  hits: z.array(fenceHitSchema),
});
type Carried = z.infer<typeof carriedSchema>;

/** Exactly what one call would send, or has sent, from this machine. */
export const manifestSchema = z.object({
  model: z.string(),
  purpose: z.string(),
  bytes: z.number().int(),
  parts: z.array(carriedSchema),
  /** The fenced content that the call as a whole was built from, according to the log. */
  builtFrom: z.array(fenceHitSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

export interface ManifestSubject {
  readonly model: string;
  readonly purpose: string;
  readonly messages: readonly Message[];
  /** Everything else that the call carries, by the name of its field. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly hitsIn: (part: Part) => readonly FenceHit[];
  readonly hitsInRest: (value: unknown) => readonly FenceHit[];
  readonly builtFrom: readonly FenceHit[];
}

export function manifestOf(subject: ManifestSubject): Manifest {
  const { model, purpose, messages, rest, hitsIn, hitsInRest, builtFrom } = subject;
  const calls = new Map<string, string>();
  const parts = messages.flatMap(({ role, parts: said }) =>
    said.map((part): Carried => {
      if (part.type === 'tool-call') calls.set(part.id, labelOf(part.name, part.input));
      const text = textOfPart(part);
      const bytes = part.type === 'image' ? (part.blob?.bytes ?? imageBytes(part.data)) : bytesOf(text);
      const origin = part.type === 'tool-result' ? (calls.get(part.id) ?? part.name) : null;
      return { role, kind: part.type, bytes, origin, text, hits: [...hitsIn(part)] };
    }),
  );
  for (const [name, value] of Object.entries(rest)) {
    const hits = hitsInRest(value);
    // What only steers the call is not listed, unless something fenced is in it.
    const text = isPlain(name, value) && hits.length === 0 ? '' : typeof value === 'string' ? value : jsonOf(value);
    if (text === '') continue;
    const role = name === 'prefill' ? 'assistant' : 'system';
    const kind = name === 'prefill' ? 'text' : name;
    parts.push({ role, kind, bytes: bytesOf(text), origin: null, text, hits: [...hits] });
  }
  return { model, purpose, bytes: parts.reduce((sum, part) => sum + part.bytes, 0), parts, builtFrom: [...builtFrom] };
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** Fields that carry no content of their own: keys of caches, efforts, and empty lists or forms. */
function isPlain(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return ['cacheKey', 'effort', 'drafts'].includes(name) || fieldOf(value, 'type') === 'text';
}

function labelOf(name: string, input: unknown): string {
  const path: unknown = fieldOf(input, 'path');
  return typeof path === 'string' ? `${name} ${path}` : name;
}

/** A part as text. For an image, only a description. */
export function textOfPart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'tool-result':
      return part.text;
    case 'tool-call':
      return `${part.name} ${part.raw ?? JSON.stringify(part.input) ?? ''}`;
    case 'image':
      return part.name === undefined ? part.mediaType : `${part.mediaType} ${part.name}`;
    default:
      return part satisfies never;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function imageBytes(base64: string): number {
  return Math.floor((base64.replace(/(?<!=)=+$/, '').length * 3) / 4);
}

/**
 * Summarizes the call for a user: how much it sends, from where, and what is fenced. `removed`: how many values were
 * removed before that; absent for a call that is sent, or would have been sent, as it is. `whole`: with every name, for
 * a text by which the user decides.
 */
export function summarizeManifest(
  { model, bytes, parts, builtFrom }: Manifest,
  removed?: number,
  how: 'short' | 'whole' = 'short',
): string {
  const origins = [...new Set(parts.flatMap(({ origin }) => (origin === null ? [] : [origin])))];
  const hits = [...parts.flatMap(({ hits: own }) => own), ...builtFrom];
  const fenced = [
    ...new Set(hits.map(({ rule, path, how }) => `${how === 'content' ? '' : 'built from '}${path ?? rule}`)),
  ];
  const names = how === 'whole' ? (all: readonly string[]): string => all.join(', ') : listed;
  const size = `${parts.length} parts, ${sizeText(bytes)} to ${model}`;
  const hidden =
    removed === undefined ? size : `${removed} ${removed === 1 ? 'value' : 'values'} hidden; sent: ${size}`;
  return [
    removed === 0 ? size : hidden,
    ...(fenced.length > 0 ? [`fenced: ${names(fenced)}`] : removed === undefined ? ['nothing fenced'] : []),
    ...(origins.length === 0 ? [] : [`from: ${names(origins)}`]),
  ].join('; ');
}

/** What was sent without its fenced values. Older logs do not say how many there were. */
export function hiddenText(text: string): string {
  return text.includes(' hidden; sent: ') ? text : `values hidden; sent: ${text}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > 6 ? ` and ${names.length - 6} more` : '';
  return names.slice(0, 6).join(', ') + more;
}
