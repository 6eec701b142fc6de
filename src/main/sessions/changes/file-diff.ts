import { diffHead, diffHunks } from '../../lib/unified-diff.ts';
import { textPair } from '../../lib/files/file-text.ts';

export interface FileDiff {
  /** Unified, with three lines of context. Null if there is none to show; `note` says why. */
  readonly text: string | null;
  readonly added: number | null;
  readonly removed: number | null;
  /** Also what the text does not show, such as another encoding. */
  readonly note: string | null;
}

/** Above these limits a diff takes too long, and nobody would read it. */
const maxBytes = 1024 * 1024;
const maxEdits = 5000;

/** The difference between two versions of a file. Null: the file does not exist. */
export function diffFiles(path: string, before: Uint8Array | null, after: Uint8Array | null): FileDiff {
  const unknown = (note: string): FileDiff => ({ text: null, added: null, removed: null, note });
  if ((before?.length ?? 0) > maxBytes || (after?.length ?? 0) > maxBytes) return unknown('too large to show');
  const pair = textPair(before, after);
  if (pair === null) return unknown('binary');
  const { before: left, after: right, note } = pair;
  const head = diffHead(path, before === null ? null : left, after === null ? null : right);
  // If one side is empty there is nothing to compare, however long the other is.
  if (left === '' || right === '') return { ...wholeFile(head, left, right), note };
  const hunks = diffHunks(left, right, { context: 3, maxEditLength: maxEdits });
  if (hunks === null) return unknown('too different to show');
  const text = head + hunks;
  return { text, ...countOf(text), note };
}

/** All lines of a file as added or as removed. */
function wholeFile(header: string, left: string, right: string): Omit<FileDiff, 'note'> {
  const whole = left + right;
  if (whole === '') return { text: header, added: 0, removed: 0 };
  const isAdded = left === '';
  const lines = whole.replace(/\n$/u, '').split('\n');
  const place = isAdded ? `-0,0 +1,${lines.length}` : `-1,${lines.length} +0,0`;
  const body = lines.map((line) => `${isAdded ? '+' : '-'}${line}\n`).join('');
  const end = whole.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  const counts = isAdded ? { added: lines.length, removed: 0 } : { added: 0, removed: lines.length };
  return { text: `${header}@@ ${place} @@\n${body}${end}`, ...counts };
}

function countOf(patch: string): { readonly added: number; readonly removed: number } {
  const lines = patch.split('\n');
  const body = lines.slice(lines.findIndex((line) => line.startsWith('@@')));
  if (!patch.includes('\n@@')) return { added: 0, removed: 0 };
  return {
    added: body.filter((line) => line.startsWith('+')).length,
    removed: body.filter((line) => line.startsWith('-')).length,
  };
}
