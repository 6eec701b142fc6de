import type { Comparison, ComparisonRun } from '@shared/comparisons/comparison.ts';
import { eachWay, wayName } from '@shared/comparisons/way-name.ts';
import { isJudged } from '@shared/comparisons/pair-verdicts.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { stepOutcomes } from '../../lib/session/step-outcome.ts';
import { seconds } from '../../lib/text/format.ts';
import { stepLabel } from '../../lib/session/step-label.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { useSession } from '../../lib/session/use-session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Section } from '../../ui/layout/facts.tsx';
import { RouteDot } from '../../ui/figures/route-dot.tsx';
import { WayMark, WayName } from './way-mark.tsx';

interface RunLanesProps {
  readonly comparison: Comparison;
  readonly onSession: (sessionId: string) => void;
}

/** The steps of up to this many runs are loaded. In a larger comparison, only the running one's are. */
const mostRead = 12;

/** One lane for each way, side by side. A running session is followed step by step. */
export function RunLanes({ comparison, onSession }: RunLanesProps) {
  const ways = eachWay(comparison.input.ways).map(wayName);
  const readsAll = comparison.runs.length <= mostRead;
  return (
    <Section title={t('compare.runs')}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(14rem,100%),1fr))] gap-3">
        {ways.map((way) => (
          <Lane key={way} way={way} comparison={comparison} readsAll={readsAll} onSession={onSession} />
        ))}
      </div>
    </Section>
  );
}

interface LaneProps extends Pick<RunLanesProps, 'onSession'> {
  readonly way: string;
  readonly comparison: Comparison;
  readonly readsAll: boolean;
}

/** Runs of a lane shown at once. */
const mostRuns = 50;

function Lane({ way, comparison, readsAll, onSession }: LaneProps) {
  const runs = comparison.runs.filter((run) => run.way === way);
  return (
    <section aria-label={seenName(way)} className="flex min-w-0 flex-col gap-2 rounded-lg bg-sunken p-2.5">
      <h4 className="flex items-baseline gap-2 text-sm font-semibold">
        <WayMark way={way} />{' '}
        <span className="min-w-0 wrap-anywhere">
          <WayName way={way} />
        </span>
      </h4>
      <ul className="flex flex-col gap-2">
        {runs.slice(0, mostRuns).map((run) => (
          <Run
            key={`${run.task} ${run.repeat}`}
            run={run}
            comparison={comparison}
            isRead={readsAll || run.state === 'running'}
            onSession={onSession}
          />
        ))}
      </ul>
      {runs.length > mostRuns && (
        <p className="text-sm text-soft">{t('compare.moreRuns', { count: runs.length - mostRuns })}</p>
      )}
    </section>
  );
}

interface RunProps extends Pick<RunLanesProps, 'onSession'> {
  readonly run: ComparisonRun;
  readonly comparison: Comparison;
  readonly isRead: boolean;
}

function Run({ run, comparison, isRead, onSession }: RunProps) {
  const { repeat, sessionId, figures } = run;
  const state = stateOf(run, comparison);
  const { both } = useMoney();
  const { tasks, repeat: repeats } = comparison.input;
  const task = seenName(tasks[run.task]?.name ?? '');
  const name =
    tasks.length === 1 ? t('compare.run', { repeat }) : repeats === 1 ? task : t('compare.taskRun', { task, repeat });
  const why = run.why ?? (figures !== null && figures.status !== 'done' ? t(`turn.status.${figures.status}`) : null);
  return (
    <li className="flex flex-col gap-1.5 rounded-md border border-line bg-paper p-2.5 text-sm">
      <span className="flex items-baseline justify-between gap-2 text-xs">
        <span className="min-w-0 text-soft wrap-anywhere">{name}</span>
        <span className={`shrink-0 font-semibold ${stateColors[state]}`}>{t(`compare.state.${state}`)}</span>
      </span>
      {sessionId !== null && isRead && (
        <Steps key={sessionId} sessionId={sessionId} isRunning={run.state === 'running'} />
      )}
      {figures !== null && (
        <span className="text-xs text-soft tabular-nums">
          {plural('sessions.steps', figures.steps)} · {seconds(figures.seconds * 1000)} · {both(figures.costUsd)}
        </span>
      )}
      {why !== null && <span className="line-clamp-3 text-sm text-soft wrap-anywhere">{why}</span>}
      {sessionId !== null && (
        <Button look="quiet" size="small" className="-ml-2 self-start" onClick={() => onSession(sessionId)}>
          {t('compare.open')}
        </Button>
      )}
    </li>
  );
}

interface StepsProps {
  readonly sessionId: string;
  readonly isRunning: boolean;
}

/** Where the steps of a run ran, and what it does now. */
function Steps({ sessionId, isRunning }: StepsProps) {
  const load = useSession(useClient(), sessionId);
  if (load.type !== 'ready') return null;
  const { state } = load.view;
  return (
    <>
      <Dots steps={state.steps} toolCalls={state.toolCalls} />
      {isRunning && <Now steps={state.steps} />}
    </>
  );
}

/** A lane is narrow, so a long run shows its latest steps. */
const shownDots = 40;

function Dots({ steps, toolCalls }: Pick<SessionState, 'steps' | 'toolCalls'>) {
  const outcomes = stepOutcomes({ steps, toolCalls }).slice(-shownDots);
  const local = steps.filter((step) => step.where === 'local').length;
  return (
    <figure
      aria-label={t('route.share', { local, all: steps.length })}
      className="flex min-h-2.5 flex-wrap items-center gap-1.5"
    >
      {steps.slice(-shownDots).map((step, index) => (
        <RouteDot key={step.callId} where={step.where} outcome={outcomes[index] ?? 'done'} />
      ))}
    </figure>
  );
}

function Now({ steps }: Pick<SessionState, 'steps'>) {
  const step = steps.at(-1);
  return (
    <span className="truncate text-xs text-soft">
      {step === undefined ? t('compare.beginning') : t('route.step', { step: step.step, label: stepLabel(step) })}
    </span>
  );
}

type RunState = 'waiting' | 'running' | 'skipped' | 'solved' | 'failed' | 'judged' | 'open';

const stateColors: Readonly<Record<RunState, string>> = {
  waiting: 'text-soft',
  running: 'text-ink',
  skipped: 'text-warn',
  solved: 'text-good',
  failed: 'text-bad',
  judged: 'text-soft',
  open: 'text-warn',
};

function stateOf(run: ComparisonRun, comparison: Comparison): RunState {
  if (run.state !== 'ended') return run.state;
  const passed = run.check?.passed ?? null;
  if (passed === null) return isJudged(comparison, run) ? 'judged' : 'open';
  return passed ? 'solved' : 'failed';
}
