import type { EventOf } from '@shared/events/events.ts';

/** A restore of a session to a checkpoint. */
export interface RestoreState {
  /** Of the event that began it. */
  readonly seq: number;
  readonly at: number;
  readonly checkpoint: string;
  readonly upToSeq: number;
  readonly files: boolean;
  readonly conversation: boolean;
  readonly cutTurnId: string | null;
  /** Null: it runs, or the program ended in the middle of it. */
  readonly end: {
    readonly seq: number;
    readonly outcome: EventOf<'restore-ended'>['outcome'];
    readonly restored: number;
    readonly merged: number;
    readonly kept: number;
  } | null;
}

type Restores = readonly RestoreState[];

const idStart = 'restore-';

/** The id of the checkpoint before a restore. To restore to it undoes that restore. */
export function restoreId(seq: number): string {
  return `${idStart}${seq}`;
}

/** The number of the restore with this id. Null: it is the id of something else. */
export function restoreSeq(id: string): number | null {
  const digits = id.startsWith(idStart) ? id.slice(idStart.length) : '';
  return /^\d{1,15}$/u.test(digits) ? Number(digits) : null;
}

export function reduceRestores(
  restores: Restores = [],
  event: EventOf<'restore-began' | 'restore-ended'>,
): readonly RestoreState[] {
  if (event.type === 'restore-began') {
    const { seq, at, checkpoint, upToSeq, files, conversation, cutTurnId } = event;
    return [...restores, { seq, at, checkpoint, upToSeq, files, conversation, cutTurnId, end: null }];
  }
  const { seq, outcome, restored, merged, kept } = event;
  const end = { seq, outcome, restored: restored.length, merged: merged.length, kept: kept.length };
  return restores.map((one) => (one.seq === event.beganSeq ? { ...one, end } : one));
}

/** Events from the first to the last number. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The parts of the log that the conversation consists of, as it was at an event. */
function shownRanges(restores: Restores, at: number): readonly Range[] {
  const last = lastCut(restores, at);
  if (last === null) return [{ from: 1, to: at }];
  return [...shownRanges(restores, last.upToSeq), { from: last.endSeq + 1, to: at }];
}

/** The last restore of the conversation that was complete at an event. */
function lastCut(restores: Restores, at: number): { readonly upToSeq: number; readonly endSeq: number } | null {
  const last = restores.findLast(
    ({ conversation, end }) => conversation && end !== null && end.outcome === 'done' && end.seq <= at,
  );
  return last === undefined || last.end === null ? null : { upToSeq: last.upToSeq, endSeq: last.end.seq };
}

/** Returns a check whether an event still belongs to the conversation, as it was at event `at` (default: now). */
export function conversationFilter(restores: Restores | undefined, at?: number): (seq: number) => boolean {
  if (restores === undefined || restores.length === 0) return () => true;
  const ranges = shownRanges(restores, at ?? Number.MAX_SAFE_INTEGER);
  return (seq) => ranges.some(({ from, to }) => seq >= from && seq <= to);
}

interface Turns<Turn> {
  readonly turns: readonly Turn[];
  readonly restores?: Restores;
}

/** The turns that still belong to the conversation, and whose end does, too. */
export function shownTurns<Turn extends { readonly id: string; readonly seq: number }>({
  turns,
  restores,
}: Turns<Turn>): readonly Turn[] {
  if (restores === undefined) return turns;
  const isShown = conversationFilter(restores);
  const cut = new Set(
    restores
      .filter(({ conversation, end }) => conversation && end !== null && isShown(end.seq + 1))
      .map(({ cutTurnId }) => cutTurnId),
  );
  return turns.filter(({ id, seq }) => isShown(seq) && !cut.has(id));
}
