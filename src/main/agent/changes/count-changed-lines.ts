import { diffLines } from 'diff';

/** Above this a line count is not worth the time of a diff. */
const MAX_BYTES = 256 * 1024;
const MAX_EDITS = 4_000;

/** Added and removed lines between two versions (null: no file); null for binary or large ones. */
export function countLines(
  before: Uint8Array | null,
  after: Uint8Array | null,
): { readonly added: number | null; readonly removed: number | null } {
  const unknown = { added: null, removed: null };
  if ((before?.length ?? 0) > MAX_BYTES || (after?.length ?? 0) > MAX_BYTES) return unknown;
  if (isBinary(before) || isBinary(after)) return unknown;
  const changes = diffLines(textOf(before), textOf(after), { maxEditLength: MAX_EDITS });
  if (changes === undefined) return unknown;
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    if (change.added) added += change.count ?? 0;
    else if (change.removed) removed += change.count ?? 0;
  }
  return { added, removed };
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}

function isBinary(bytes: Uint8Array | null): boolean {
  return bytes !== null && bytes.subarray(0, 8000).includes(0);
}
