import { createContext, useContext, useEffect, useState } from 'react';
import { turnCostUsd } from '@shared/money/turn-money.ts';
import type { StepState, TurnState } from '@shared/session/session-state.ts';
import { toolCallStatus, turnStatus } from '@shared/session/session-state.ts';
import { seenCommand } from '@shared/text/seen-text.ts';
import type { LiveCall, LiveFeed } from '../../../lib/session/live-feed.ts';
import { spokenWords } from '../../../lib/session/step-label.ts';
import type { TurnTimeline } from '../../../lib/session/turn-timeline.ts';
import { money, seconds } from '../../../lib/text/format.ts';
import { phaseText } from '../../../lib/text/stage-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { callPhaseText } from '../steps/step-row.tsx';
import { WholeText } from '../whole-text.tsx';

/** Since when the session waits for an answer of the user; null: it does not. */
export const WaitingSinceContext = createContext<number | null>(null);

interface WorkLineProps {
  readonly timeline: TurnTimeline;
  readonly isOpen: boolean;
  readonly feed: LiveFeed;
  readonly onFold: (turnId: string) => void;
}

/** The work of a turn in one line, live while it runs. It opens to the steps. */
export function WorkLine({ timeline, isOpen, feed, onFold }: WorkLineProps) {
  const { turn } = timeline;
  const now = useNow(turn.reason === null);
  const isRunning = turn.reason === null;
  const waitingSince = useContext(WaitingSinceContext);
  const isWaiting = isRunning && waitingSince !== null;
  const time = timeText(turn, isWaiting ? waitingSince : now);
  const facts = isWaiting ? [] : isRunning ? runningFacts(timeline, feed) : doneFacts(timeline);
  const isStopped = turn.reason === 'cancelled' || turn.reason === 'crashed';
  const key = isWaiting ? 'work.waiting' : isRunning ? 'work.running' : isStopped ? 'work.stopped' : 'work.done';
  return (
    <button
      type="button"
      data-work={isRunning ? 'running' : 'done'}
      aria-expanded={isOpen}
      title={t('work.show')}
      onClick={() => onFold(turn.id)}
      className="group -mx-2 mt-2 flex min-h-7 max-w-full items-center gap-2 rounded-md px-2 text-left text-xs text-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name="chevron" className="size-3 shrink-0 transition-transform group-aria-expanded:rotate-90" />
      <span className="min-w-0 truncate tabular-nums">{[t(key, { time }), ...facts].join(' · ')}</span>
    </button>
  );
}

/** The current time, updated every second while the turn runs. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

/** The totals of the work. A figure with a missing part is left out. */
function doneFacts({ turn, rows }: TurnTimeline): readonly string[] {
  const steps = rows.flatMap((row) => (row.type === 'step' ? [row.step] : []));
  if (turn.steps === 0) return [];
  const again = turn.retries === undefined ? [] : [plural('work.retries', turn.retries)];
  const calls = [plural('work.calls', turn.steps), ...again];
  return [...calls, ...(steps.length < turn.steps ? [] : [placeText(steps)]), costText(turn)];
}

function placeText(steps: readonly StepState[]): string {
  const cloud = steps.filter(({ where }) => where === 'cloud').length;
  if (cloud > 0) return t(cloud === steps.length ? 'work.place.cloud' : 'work.place.both');
  // The user's own server counts as local, but may be another machine.
  return t(steps.every(({ provider }) => provider === 'llama-cpp') ? 'work.place.here' : 'work.place.local');
}

/** How long the turn works or worked, without its waits for the user. */
export function timeText(turn: TurnState, now: number): string {
  return seconds(Math.max(0, (turn.endedAt ?? now) - turn.startedAt - (turn.waitedMs ?? 0)));
}

/** With its child sessions. */
export function costText(turn: TurnState): string {
  const sum = turnCostUsd(turn);
  return sum === 0 ? t('work.free') : money(sum);
}

/** What the turn does now, and its progress if known. */
function runningFacts({ turn, rows }: TurnTimeline, { calls }: LiveFeed): readonly string[] {
  const last = rows.findLast((row) => row.type === 'step' || row.type === 'action' || row.type === 'note');
  if (last === undefined) return [t('step.starting')];
  if (last.type === 'note') return [phaseText(last.note.phase)];
  if (last.type === 'action') return [seenCommand(last.action.label)];
  const made = turn.steps - (turn.retries ?? 0);
  const count = made > 1 ? [t('work.step', { count: made, most: turn.limits.maxSteps })] : [];
  const running = last.calls.find((call) => toolCallStatus(call) === 'running');
  if (running !== undefined) return [seenCommand(running.label), ...count];
  if (last.step.end !== null) return count;
  const live = calls[last.step.callId];
  const left = live === undefined || live.leftMs === null ? [] : [t('work.left', { time: seconds(live.leftMs) })];
  return [callPhaseText(live), ...left, ...count];
}

interface LiveAnswerProps {
  readonly sessionId: string;
  readonly step: StepState;
  readonly turn: TurnState;
  readonly live: LiveCall | undefined;
}

/** The words of the running step, where the answer will be. After a stop, the last words. */
export function LiveAnswer({ sessionId, step, turn, live }: LiveAnswerProps) {
  const words = spokenWords(live?.text ?? '');
  if (words === '' && step.end === null) return null;
  return (
    <div data-live={turnStatus(turn)} className="mt-2">
      {words === '' ? (
        <WholeText sessionId={sessionId} place={{ id: step.callId, near: turn.seq }} text={step.end?.text ?? ''} />
      ) : (
        <Markdown text={words} isGrowing />
      )}
    </div>
  );
}
