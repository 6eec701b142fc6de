/**
 * The ways to pack an answer that are unpacked here. Only these are offered, and an answer that is packed in another
 * way is refused before a byte of it is read. Brotli is left out because its decoder has a hole in the Node that some
 * platforms get (CVE-2026-111497), and Zstandard because nothing needs it (docs/decisions/0239).
 */
const unpacked: readonly string[] = ['gzip', 'x-gzip', 'deflate', 'identity'];

/** What is offered to servers. */
export const offeredPackings = 'gzip, deflate';

type HeaderValue = string | readonly string[] | undefined;

/** Why an answer with this `content-encoding` is refused. Null: it may be read. */
export function packingProblem(contentEncoding: HeaderValue): string | null {
  const refused = packingsIn(contentEncoding).find((name) => !unpacked.includes(name));
  if (refused === undefined) return null;
  // A server wrote the name.
  const named = /^[a-z0-9-]{1,20}$/u.test(refused) ? `"${refused}"` : 'an unknown way';
  return `The server packed its answer with ${named}, although only ${offeredPackings} were offered. For safety, the answer was not read.`;
}

/** The same `accept-encoding`, without what would be refused. */
export function safeOffer(acceptEncoding: HeaderValue): string {
  const kept = packingsIn(acceptEncoding).filter((name) => unpacked.includes(name.split(';')[0]?.trim() ?? ''));
  return kept.join(', ') || 'identity';
}

function packingsIn(value: HeaderValue): readonly string[] {
  return [value ?? []]
    .flat()
    .flatMap((text) => text.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
