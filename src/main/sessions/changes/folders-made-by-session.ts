import type { Journal } from '../journal/journal.ts';

/** File systems stamp by a clock that ticks a few times in a hundredth of a second. Milliseconds. */
const clockTickMs = 50;
/** A change that no call stands for (a take, an undo) is done in less. */
const longestMoveMs = 10_000;

/**
 * Whether a folder that was made at a moment (milliseconds since 1970) was made by a change of this session: while the
 * call ran that the change is of. Where the file system does not tell when a folder was made, none was.
 */
export async function foldersMadeBy(journal: Pick<Journal, 'read'>): Promise<(madeAtMs: number) => boolean> {
  const starts = new Map<string, number>();
  const spans: { readonly from: number; readonly to: number }[] = [];
  let previousAt = 0;
  for await (const event of journal.read()) {
    if (event.type === 'history-copied' && event.changes === 'settled') spans.length = 0;
    if (event.type === 'tool-started') starts.set(event.toolCallId, event.at);
    if (event.type === 'file-changed') {
      const started = event.toolCallId === null ? undefined : starts.get(event.toolCallId);
      spans.push({ from: started ?? Math.max(previousAt, event.at - longestMoveMs), to: event.at });
    }
    previousAt = event.at;
  }
  return (madeAtMs) => spans.some(({ from, to }) => madeAtMs >= from - clockTickMs && madeAtMs <= to);
}
