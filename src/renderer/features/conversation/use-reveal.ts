import { useEffect, useState } from 'react';
import type { SessionPart } from '@shared/session/session-part.ts';
import { announce } from '../../lib/notices/announce.ts';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import type { LookUp, SessionView } from '../../lib/session/use-session.ts';
import { rowId } from './row-id.ts';
import type { Folds } from './use-folds.ts';

/** A message, call or turn; `seq` of an event of its turn, where it may be one that has to be looked up. */
export interface RevealedPlace {
  readonly id: string;
  readonly seq?: number | undefined;
}

/** After the row was drawn where it is to be. */
const focusAfterMs = 60;

interface RevealOptions {
  readonly view: SessionView;
  readonly rows: readonly ConversationRow[];
  readonly folds: Folds;
  readonly lookUp: LookUp;
  /** Opens a row. */
  readonly show: (key: string) => void;
  /** Lets go of the end. */
  readonly release: () => void;
}

interface Target {
  readonly index: number;
  readonly key: string;
}

interface Reveal {
  /** The row to bring into view, each time this is another object. */
  readonly target: Target | null;
  readonly reveal: (place: RevealedPlace) => void;
}

/** Brings a row into view: its turn is looked up where it is not here, and unfolded. */
export function useReveal({ view, rows, folds, lookUp, show, release }: RevealOptions): Reveal {
  const [target, setTarget] = useState<Target | null>(null);
  const [sought, setSought] = useState<string | null>(null);
  const index = sought === null ? -1 : rows.findIndex((row) => row.key === sought);
  // A row that is looked up or unfolded comes with a later drawing.
  if (sought !== null && index >= 0) {
    setSought(null);
    setTarget({ index, key: sought });
  }
  useEffect(() => {
    if (target === null) return undefined;
    const timer = setTimeout(() => focusRow(target.key), focusAfterMs);
    return () => clearTimeout(timer);
  }, [target]);
  const seek = ({ key, turnId }: RowPlace): void => {
    if (turnId !== null) folds.open(turnId);
    show(key);
    release();
    setSought(key);
  };
  const reveal = ({ id, seq }: RevealedPlace): void => {
    const place = placeOf([view.state, ...view.history.parts], id);
    const { key, turnId } = place;
    if (rows.some((row) => row.key === key || (row.type === 'work' && row.timeline.turn.id === turnId))) {
      seek(place);
      return;
    }
    const from = seq ?? view.state.turns.find((turn) => turn.id === turnId)?.seq;
    const found = from === undefined ? Promise.resolve(null) : lookUp({ from });
    found.then(
      (part) => {
        if (part === null) announce({ kind: 'info', text: t('search.gone') });
        else seek(placeOf([part], id));
      },
      (error: unknown) => announce({ kind: 'error', text: failureText(error) }),
    );
  };
  return { target, reveal };
}

interface RowPlace {
  readonly key: string;
  /** The turn that has to be unfolded for it. */
  readonly turnId: string | null;
}

/** The row of a message, a model call, a tool call, an action or a turn. */
function placeOf(
  places: readonly Pick<SessionPart, 'turns' | 'steps' | 'toolCalls' | 'actions'>[],
  id: string,
): RowPlace {
  for (const { turns, steps, toolCalls, actions } of places) {
    const key = toolCalls.find((one) => one.toolCallId === id)?.callId ?? id;
    const item = steps.find((one) => one.callId === key) ?? actions.find((one) => one.toolCallId === key);
    if (item !== undefined) return { key, turnId: item.turnId };
    if (turns.some((turn) => turn.id === id)) return { key: `after-${id}`, turnId: null };
  }
  return { key: id, turnId: null };
}

/** It comes later than the click: who has gone on to a field by then and types there keeps the focus. */
function focusRow(callId: string): void {
  const row = document.getElementById(rowId(callId));
  row?.scrollIntoView({ block: 'center' });
  if (document.activeElement?.matches('input, textarea') !== true) row?.focus({ preventScroll: true });
}
