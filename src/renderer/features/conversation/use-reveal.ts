import { useEffect, useState } from 'react';
import type { SessionPart } from '@shared/session/session-part.ts';
import { announce } from '../../lib/notices/announce.ts';
import type { ConversationRow } from '../../lib/session/conversation-rows.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import type { LookUp, SessionView } from '../../lib/session/use-session.ts';
import type { AnswerHeading } from '../../lib/drawing/answer-outline.ts';
import { headingKey } from '../../lib/drawing/answer-outline.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import type { ShowHeading } from './turns/answer-outline-list.tsx';
import { rowId } from './row-id.ts';
import type { Folds } from './use-folds.ts';

/** A message, call or turn. `seq` is an event of its turn, in case it must be loaded. */
export interface RevealedPlace {
  readonly id: string;
  readonly seq?: number | undefined;
}

/** Waits until the row is rendered at its place. */
const focusAfterMs = 60;

interface RevealOptions {
  readonly view: SessionView;
  readonly rows: readonly ConversationRow[];
  readonly folds: Folds;
  readonly lookUp: LookUp;
  /** Opens a row. */
  readonly show: (key: string) => void;
  /** Stops following the end. */
  readonly release: () => void;
}

interface Target {
  readonly index: number;
  readonly key: string;
  /** The heading to show within the row. */
  readonly heading: AnswerHeading | null;
}

interface Reveal {
  /** The row to scroll to. Each new object scrolls again. */
  readonly target: Target | null;
  readonly reveal: (place: RevealedPlace) => void;
  readonly revealHeading: ShowHeading;
}

/** Scrolls to a row. If necessary, its turn is loaded and unfolded. */
export function useReveal({ view, rows, folds, lookUp, show, release }: RevealOptions): Reveal {
  const [target, setTarget] = useState<Target | null>(null);
  const [sought, setSought] = useState<Omit<Target, 'index'> | null>(null);
  const index = sought === null ? -1 : rows.findIndex((row) => row.key === sought.key);
  // A row that is loaded or unfolded appears in a later render.
  if (sought !== null && index >= 0) {
    setSought(null);
    setTarget({ ...sought, index });
  }
  useEffect(() => {
    if (target === null) return undefined;
    const { key, heading } = target;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      if (heading === null) focusRow(key);
      else focusHeading(key, heading, stop.signal);
    }, focusAfterMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [target]);
  const seek = ({ key, turnId }: RowPlace): void => {
    if (turnId !== null) folds.open(turnId);
    show(key);
    release();
    setSought({ key, heading: null });
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
  const revealHeading = useStableCallback((turnId: string, heading: AnswerHeading): void => {
    const piece = `said-${turnId}-${heading.piece}`;
    release();
    setSought({ key: rows.some((row) => row.key === piece) ? piece : `after-${turnId}`, heading });
  });
  return { target, reveal, revealHeading };
}

interface RowPlace {
  readonly key: string;
  /** The turn that must be unfolded for it. */
  readonly turnId: string | null;
}

/** The row of a message, model call, tool call, action or turn. */
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

/** Runs some time after the click. If the user types in a field by then, the focus stays there. */
function focusRow(callId: string): void {
  const row = document.getElementById(rowId(callId));
  row?.scrollIntoView({ block: 'center' });
  if (document.activeElement?.matches('input, textarea') !== true) row?.focus({ preventScroll: true });
}

/** A part of a text may not be rendered yet. It is after at most this many frames. */
const mostFrames = 120;

function focusHeading(key: string, heading: AnswerHeading, signal: AbortSignal, frame = 0): void {
  if (signal.aborted) return;
  const row = document.getElementById(rowId(key));
  const wanted = headingKey(heading.text);
  const all = [...(row?.querySelectorAll<HTMLElement>('.prose :is(h1, h2, h3, h4, h5, h6)') ?? [])];
  const keyOf = ({ textContent }: HTMLElement): string => headingKey(textContent ?? '');
  // A rendered link also contains its address.
  const found = all.find((one) => keyOf(one) === wanted) ?? all.find((one) => keyOf(one).startsWith(wanted));
  if (frame === 0 || found !== undefined) (found ?? row)?.scrollIntoView({ block: 'start' });
  if (found === undefined && frame < mostFrames) {
    requestAnimationFrame(() => focusHeading(key, heading, signal, frame + 1));
    return;
  }
  // The keyboard and screen readers go on from here.
  found?.setAttribute('tabindex', '-1');
  found?.focus({ preventScroll: true });
}
