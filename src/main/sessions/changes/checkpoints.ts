import { AppError } from '@shared/errors.ts';
import type { Checkpoint } from '@shared/contract/sessions-contract.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { conversationFilter, restoreId } from '@shared/session/restore-state.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import { createLogFold } from '../journal/log-fold.ts';
import { lastMoves } from './changes-in-log.ts';
import type { ReadJournal } from './move-file.ts';

/** A point of the log that a session can be set back to: before a message, before a step, or before a restore. */
interface Place {
  readonly id: string;
  readonly type: Checkpoint['type'];
  readonly step: number | null;
  readonly upToSeq: number;
  readonly at: number;
  text: string;
  /** The turn that it is in the middle of. */
  readonly cutTurnId: string | null;
}

interface PlacesOfLog {
  readonly places: Map<string, Place>;
  /** Messages that wait for the running turn. */
  readonly waiting: Map<string, string>;
  openTurn: string | null;
  /** The step that the next tool calls belong to. */
  last: Place | null;
}

const placesIn = createLogFold<PlacesOfLog>(
  () => ({ places: new Map(), waiting: new Map(), openTurn: null, last: null }),
  addEvent,
);

function addEvent(log: PlacesOfLog, event: SessionEvent): void {
  switch (event.type) {
    case 'user-message-added':
      // One that waits is not in the conversation yet.
      if (event.queued) log.waiting.set(event.messageId, event.text);
      else addPlace(log, event, { id: event.messageId, type: 'message', text: event.text });
      return;
    case 'message-delivered':
      addPlace(log, event, { id: event.messageId, type: 'message', text: log.waiting.get(event.messageId) ?? '' });
      log.waiting.delete(event.messageId);
      return;
    case 'message-dropped':
      log.places.delete(event.messageId);
      return;
    case 'turn-started':
      log.openTurn = event.turnId ?? null;
      return;
    case 'turn-ended':
      log.openTurn = null;
      return;
    case 'route-decided':
      addPlace(log, event, { id: event.callId, type: 'step', text: '' });
      return;
    case 'model-call-started': {
      if (!log.places.has(event.callId)) addPlace(log, event, { id: event.callId, type: 'step', text: event.model });
      const place = log.places.get(event.callId);
      if (place !== undefined) log.places.set(event.callId, { ...place, step: event.step });
      log.last = log.places.get(event.callId) ?? null;
      return;
    }
    case 'tool-started':
      if (event.parent === undefined && event.by === 'model' && log.last !== null && log.last.text === '')
        log.last.text = firstLine(event.label);
      return;
    case 'restore-began':
      addPlace(log, event, { id: restoreId(event.seq), type: 'restore', text: event.checkpoint });
      return;
    default:
  }
}

function addPlace(log: PlacesOfLog, { seq, at }: SessionEvent, place: Pick<Place, 'id' | 'type' | 'text'>): void {
  const { id, type } = place;
  const text = firstLine(place.text);
  log.places.set(id, { id, type, step: null, upToSeq: seq - 1, at, text, cutTurnId: log.openTurn });
}

/** All checkpoints of a session, oldest first. */
export async function listCheckpoints(journal: ReadJournal): Promise<readonly Checkpoint[]> {
  const places = [...(await placesIn(journal)).places.values()];
  const changed = [...(await lastMoves(journal))].sort((left, right) => left - right);
  const isShown = conversationFilter(journal.state().restores);
  let before = 0;
  return places.map(({ id, type, step, at, text, upToSeq }) => {
    while ((changed[before] ?? Infinity) <= upToSeq) before += 1;
    const isSetAside = type !== 'restore' && !isShown(upToSeq + 1);
    return { id, type, step, at, text, files: changed.length - before, isSetAside };
  });
}

/** Rejects with `not-found`. */
export async function findCheckpoint(
  journal: ReadJournal,
  id: string,
): Promise<{ readonly place: Readonly<Place>; readonly later: readonly Readonly<Place>[] }> {
  const places = [...(await placesIn(journal)).places.values()];
  const place = places.find((one) => one.id === id);
  if (place === undefined)
    throw places.length === 0
      ? new AppError('not-found', 'This session has no checkpoints yet: nobody sent it a message. Nothing was changed.')
      : new AppError('not-found', `This session has no checkpoint ${id}. Nothing was changed.`, {
          hint: 'Choose one of its messages, steps or restores: dewpoint sessions checkpoints SESSION',
        });
  return { place, later: places.filter(({ upToSeq }) => upToSeq >= place.upToSeq) };
}
