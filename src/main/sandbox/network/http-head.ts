import type { IncomingMessage } from 'node:http';

/** The part of a message's head that is passed on, and how its body is framed on the other side. */
export interface HttpHead {
  /** Names in lower case. Without headers about framing or the connection. */
  readonly headers: Readonly<Record<string, string[]>>;
  /** Bytes of the body. Null if it is chunked or lasts until the end. */
  readonly length: number | null;
}

/** The longest head in bytes, in either direction. */
export const longestHead = 32 * 1024;
const mostHeaders = 256;

/** Headers about one connection or about framing. We set them ourselves, and never pass on those of others. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'expect',
  'host',
  'http2-settings',
]);

/** Headers that `Connection` must not remove, because that would change the meaning of the message. */
const kept: readonly string[] = ['content-length', 'transfer-encoding', 'host'];

/** Null if two readers could understand the head differently. Then nothing of it is passed on. */
export function requestHead(request: IncomingMessage): HttpHead | null {
  const read = readHead(request);
  if (read === null || (read.fields.get('host')?.length ?? 0) > 1) return null;
  if (read.isInPieces && request.httpVersion !== '1.1') return null;
  return { headers: passedOn(read), length: read.isInPieces ? null : (read.length ?? 0) };
}

/** The same for a host's answer. */
export function answerHead(answer: IncomingMessage): HttpHead | null {
  const read = readHead(answer);
  return read === null ? null : { headers: passedOn(read), length: read.length };
}

interface ReadHead {
  readonly fields: ReadonlyMap<string, string[]>;
  /** The headers that `Connection` names. */
  readonly named: ReadonlySet<string>;
  readonly length: number | null;
  readonly isInPieces: boolean;
}

/**
 * Reads the raw header lines. The parser's own table is not used, because it joins some headers, drops some and
 * keeps only the first of others. The parser is strict, but older ones were less so. What those let through is
 * refused here.
 */
function readHead({ httpVersion, rawHeaders }: IncomingMessage): ReadHead | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return null;
  if (rawHeaders.length > 2 * mostHeaders) return null;
  const fields = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return null;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const options = (fields.get('connection') ?? []).flatMap((value) => value.toLowerCase().split(','));
  const named = new Set(options.map((option) => option.trim()));
  if (kept.some((name) => named.has(name))) return null;
  const lengths = fields.get('content-length') ?? [];
  const codings = fields.get('transfer-encoding') ?? [];
  if (lengths.length + codings.length > 1) return null;
  if (!lengths.every((text) => /^\d{1,15}$/.test(text))) return null;
  if (!codings.every((text) => text.trim().toLowerCase() === 'chunked')) return null;
  const [length] = lengths;
  return { fields, named, length: length === undefined ? null : Number(length), isInPieces: codings.length > 0 };
}

function passedOn({ fields, named }: ReadHead): Record<string, string[]> {
  return Object.fromEntries([...fields].filter(([name]) => !named.has(name) && !isOwn(name)));
}

/** Compares a name as loosely as any server does: some treat every odd character as a hyphen. */
function isOwn(name: string): boolean {
  const loose = name.replaceAll(/[^a-z0-9]/g, '-');
  return ownHeaders.has(loose) || loose === 'proxy' || loose.startsWith('proxy-');
}
