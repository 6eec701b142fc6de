import type { ReactNode } from 'react';
import { useEffect, useMemo, useRef } from 'react';
import type { SessionState, StepState, TurnState } from '@shared/session/session-state.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { decodeSpeedOf } from '@shared/session/step-speeds.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import type { ModelPick } from '../../../lib/models/model-options.ts';
import { pickedModel } from '../../../lib/models/model-options.ts';
import { useModels } from '../../../lib/models/use-local-model.ts';
import { useUsualModels } from '../../../lib/models/use-model-options.ts';
import { choiceOf, effortOfPick } from '../../../lib/models/session-choice.ts';
import { pickedName } from '../../../lib/models/use-next-model.ts';
import { speakToScreenReader } from '../../../lib/notices/screen-reader.ts';
import { useSeenEnd } from '../../../lib/notices/use-notifications.ts';
import type { BesideColumn } from '../../../lib/models/beside.ts';
import type { EngineUse, ExpectedStart } from '../../../lib/models/expected-start.ts';
import {
  callLeftMs,
  expectedStart,
  measuredModel,
  roughMs,
  usualAnswerTokens,
} from '../../../lib/models/expected-start.ts';
import type { LiveFeed } from '../../../lib/session/live-feed.ts';
import type { SessionView } from '../../../lib/session/use-session.ts';
import { useSession } from '../../../lib/session/use-session.ts';
import { seconds, speed } from '../../../lib/text/format.ts';
import { t } from '../../../lib/text/translate.ts';
import { useNavigate } from '../../../lib/window/navigation.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { StopButton } from '../../../ui/controls/stop-button.tsx';
import { Icon } from '../../../ui/layout/icon.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { effortText } from '../../../ui/model-picker/thinking-choice.tsx';
import { callPhaseText } from '../steps/step-row.tsx';
import { endKey, endsWithWords, TurnFailure } from '../turns/turn-parts.tsx';
import { costText, LiveAnswer, timeText, useNow } from '../turns/work-line.tsx';
import { WholeText } from '../whole-text.tsx';

/** What the other columns must know of one. */
export interface ColumnReport {
  /** Its call of a model on this machine. Calls of the same provider wait for each other. Null: none runs. */
  readonly use: EngineUse | null;
  /** Tokens of its answer. Null: there is none yet. */
  readonly wrote: number | null;
}

interface ColumnProps {
  readonly column: BesideColumn;
  /** Its place in the row. */
  readonly at: number;
  /** All columns, by place. */
  readonly reports: ReadonlyMap<number, ColumnReport>;
  readonly onReport: (at: number, report: ColumnReport | null) => void;
  readonly questions: (sessionId: string, state: SessionState) => ReactNode;
  readonly onStatus: () => void;
  /** One of them is being gone on with. */
  readonly isBusy: boolean;
  readonly onGoOn: (sessionId: string, state: SessionState) => void;
}

/** One of several answers: who gives it, what it costs, and its words as they come. */
export function BesideColumnView(props: ColumnProps) {
  const { column, at } = props;
  const given = useWayName(column.pick ?? null) ?? t('beside.unknown', { number: at + 1 });
  if (column.sessionId === null || column.problem !== undefined) {
    return (
      <Frame name={given}>
        <Problem text={column.problem ?? t('beside.earlier')} />
      </Frame>
    );
  }
  return <FollowedColumn {...props} sessionId={column.sessionId} given={given} />;
}

type FollowedProps = ColumnProps & { readonly sessionId: string; readonly given: string };

function FollowedColumn({ sessionId, given, ...props }: FollowedProps) {
  const load = useSession(useClient(), sessionId);
  if (load.type === 'ready') return <Answer {...props} {...{ sessionId, given }} view={load.view} />;
  return (
    <Frame name={given}>
      {load.type === 'loading' ? (
        <p className="text-xs text-soft">{t('session.opening')}</p>
      ) : (
        <Problem text={`${t('session.failed')} ${load.text}`} />
      )}
    </Frame>
  );
}

function Answer({ view, sessionId, column, given, ...props }: FollowedProps & { readonly view: SessionView }) {
  const { state, feed } = view;
  const { at, reports, onReport, onStatus, isBusy, onGoOn } = props;
  const navigate = useNavigate();
  const { messageId } = column;
  const turn = state.turns.findLast((one) => one.messageId === messageId) ?? null;
  const logged = useWayName(pickIn(state, messageId));
  const name = column.pick === undefined ? (logged ?? given) : given;
  const steps = state.steps.filter(({ turnId }) => turn !== null && turnId === turn.id);
  const isRunning = turn === null ? state.pending.includes(messageId ?? '') : turn.reason === null;
  const use = useEngineUse({ name, state, feed, step: isRunning ? steps.at(-1) : undefined, reports });
  const wrote = isRunning ? null : (steps.at(-1)?.end?.usage.output ?? null);
  const isEarlier = turn === null && !isRunning;
  useSeenEnd(sessionId, state, onStatus);
  useEffect(() => onStatus(), [isRunning, onStatus]);
  useEffect(() => {
    onReport(at, { use, wrote });
    return () => onReport(at, null);
  }, [at, use, wrote, onReport]);
  useSpokenEnd(name, isRunning);
  return (
    <Frame name={name} isRunning={isRunning}>
      <Facts turn={turn} steps={steps} feed={feed} start={isRunning ? expectedStart(usesOf(reports), at) : null} />
      <div className="flex flex-wrap gap-2 py-1">
        {isRunning && <StopButton sessionId={sessionId} />}
        {isEarlier ? (
          <Button size="small" onClick={() => navigate({ type: 'session', sessionId })}>
            {t('beside.look')}
          </Button>
        ) : (
          <Button size="small" title={t('beside.goOnAbout')} disabled={isBusy} onClick={() => onGoOn(sessionId, state)}>
            {t('beside.goOn')}
          </Button>
        )}
      </div>
      {(state.approvals.length > 0 || state.cap !== null) && props.questions(sessionId, state)}
      {isEarlier && <p className="text-xs text-soft">{t('beside.earlier')}</p>}
      {turn !== null && <Words {...{ sessionId, turn, feed }} step={steps.at(-1)} />}
    </Frame>
  );
}

interface FrameProps {
  readonly name: string;
  readonly isRunning?: boolean;
  readonly children: ReactNode;
}

function Frame({ name, isRunning = false, children }: FrameProps) {
  return (
    <section
      aria-label={t('beside.column', { name })}
      aria-busy={isRunning}
      className="flex min-w-0 flex-col gap-1 rounded-xl border border-line bg-raised px-4 py-3"
    >
      <h2 className="text-sm font-semibold wrap-anywhere">{name}</h2>
      {children}
    </section>
  );
}

interface FactsProps {
  readonly turn: TurnState | null;
  readonly steps: readonly StepState[];
  readonly feed: LiveFeed;
  /** Null: it does not wait for another one. */
  readonly start: ExpectedStart | null;
}

/** Cost, time and speed. What is not known is left out, and a price that is not known is said. */
function Facts({ turn, steps, feed, start }: FactsProps) {
  const isRunning = turn === null || turn.reason === null;
  const now = useNow(isRunning);
  const last = steps.at(-1);
  const time = turn === null ? null : timeText(turn, now);
  const phase = callPhaseText(last === undefined ? undefined : feed.calls[last.callId]);
  const done = steps.findLast(({ end }) => end !== null)?.end ?? null;
  const facts = isRunning
    ? [...(start === null ? [phase] : [t('beside.waitsFor', { name: start.after }), startText(start)]), time]
    : [turn.steps === 0 ? null : costText(turn), time, done === null ? null : speed(decodeSpeedOf(done))];
  return (
    <p data-facts className="text-xs text-soft tabular-nums">
      {facts.filter((fact) => fact !== null).join(' · ')}
    </p>
  );
}

interface WordsProps {
  readonly sessionId: string;
  readonly turn: TurnState;
  readonly feed: LiveFeed;
  readonly step: StepState | undefined;
}

/** The answer as it comes, then the answer as it is, and why there is none. */
function Words({ sessionId, turn, feed, step }: WordsProps) {
  const status = turnStatus(turn);
  if (status === 'running') {
    return step === undefined ? null : <LiveAnswer {...{ sessionId, step, turn }} live={feed.calls[step.callId]} />;
  }
  return (
    <div data-outcome={turn.reason} className="mt-1 flex flex-col gap-2">
      {endsWithWords(turn, turn.text) && (
        <WholeText sessionId={sessionId} place={{ id: turn.id, near: turn.seq }} text={turn.text} />
      )}
      {turn.reason === 'cancelled' && step !== undefined && (
        <LiveAnswer {...{ sessionId, step, turn }} live={feed.calls[step.callId]} />
      )}
      <TurnFailure turn={turn} />
      {turn.reason !== 'answered' && (
        <p className="flex items-start gap-2 text-xs text-warn">
          <Icon name="alert" className="mt-0.5 size-3.5" />
          {t(endKey(turn, status))}
        </p>
      )}
    </div>
  );
}

function startText({ inMs }: ExpectedStart): string {
  return inMs === null ? t('beside.startUnknown') : t('beside.startsIn', { time: seconds(roughMs(inMs)) });
}

interface UseOfEngine {
  readonly name: string;
  readonly state: SessionState;
  readonly feed: LiveFeed;
  /** The call that runs or waits. */
  readonly step: StepState | undefined;
  readonly reports: ReadonlyMap<number, ColumnReport>;
}

/** The engine that the call of a column needs, and for how long. It changes once a second while the call runs. */
function useEngineUse({ name, state, feed, step, reports }: UseOfEngine): EngineUse | null {
  const card = useModels().data?.find(({ id }) => id === step?.model)?.card;
  const isRunning = step?.end === null && step.where === 'local';
  const now = useNow(isRunning) - performance.timeOrigin;
  const live = step === undefined ? undefined : feed.calls[step.callId];
  const wrote = [...reports.values()].flatMap((one) => (one.wrote === null ? [] : [one.wrote]));
  const leftMs = isRunning
    ? callLeftMs(
        { live, promptTokens: step.promptTokens },
        {
          measured: measuredModel(step.model, state.steps, card),
          usualTokens: usualAnswerTokens(wrote),
          now,
        },
      )
    : null;
  const [provider, startedAt] = [isRunning ? step.provider : null, step?.startedAt ?? 0];
  const isWaiting = (live?.phase ?? 'waiting') === 'waiting';
  const leftSeconds = leftMs === null ? null : Math.round(leftMs / 1_000);
  return useMemo(
    () =>
      provider === null
        ? null
        : { name, provider, isWaiting, startedAt, leftMs: leftSeconds === null ? null : leftSeconds * 1_000 },
    [name, provider, isWaiting, startedAt, leftSeconds],
  );
}

function usesOf(reports: ReadonlyMap<number, ColumnReport>): ReadonlyMap<number, EngineUse> {
  return new Map([...reports].flatMap(([at, { use }]) => (use === null ? [] : [[at, use] as const])));
}

/** What was chosen for the question. */
function pickIn({ messages }: SessionState, messageId: string | null): ModelPick | null {
  const chosen = messages.find((message) => message.messageId === messageId)?.chosen;
  return chosen === undefined ? null : choiceOf(chosen).pick;
}

/** The name of the model, with its effort where one was chosen. */
function useWayName(pick: ModelPick | null): string | null {
  const models = useModels().data ?? [];
  const usual = useUsualModels(null);
  if (pick === null || usual === undefined) return null;
  const picked = pickedModel(pick, usual);
  const name = pickedName(picked, models);
  const effort = effortOfPick(pick);
  const info = picked.type === 'model' ? models.find(({ id }) => id === picked.id)?.info : undefined;
  return effort === undefined ? name : `${name} · ${effortText(effort, info?.efforts ?? [])}`;
}

function useSpokenEnd(name: string, isRunning: boolean): void {
  const was = useRef(isRunning);
  useEffect(() => {
    if (was.current && !isRunning) speakToScreenReader({ how: 'polite', text: t('beside.ended', { name }) });
    was.current = isRunning;
  }, [isRunning, name]);
}
