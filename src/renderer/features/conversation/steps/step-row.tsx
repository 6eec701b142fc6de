import type { StepState, ToolCallState } from '@shared/session/session-state.ts';
import { toolCallStatus } from '@shared/session/session-state.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { money, seconds, tokens } from '../../../lib/text/format.ts';
import { isProse, isSaying, stepLabel } from '../../../lib/session/step-label.ts';
import { stepOutcome } from '../../../lib/session/step-outcome.ts';
import type { LiveCall } from '../../../lib/session/live-feed.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Markdown } from '../../../ui/content/markdown.tsx';
import { RouteDot } from '../../../ui/figures/route-dot.tsx';
import { TerminalOutput } from '../../../ui/content/terminal-output.tsx';
import { RowLine } from './row-line.tsx';
import { rowId } from '../row-id.ts';
import { WholeText } from '../whole-text.tsx';
import { StepDetail } from './step-detail.tsx';

interface StepRowProps {
  readonly sessionId: string;
  readonly step: StepState;
  /** The sequence number of the event that began its turn. */
  readonly near: number;
  readonly calls: readonly ToolCallState[];
  /** The words that the model writes now, while it does. */
  readonly live: LiveCall | undefined;
  readonly outputs: Readonly<Record<string, string>>;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** The end of the turn has the same text. */
  readonly isRepeatedAtEnd: boolean;
}

/** One model call and its tool calls. The words of a running call are visible without opening the row. */
export function StepRow({
  sessionId,
  step,
  near,
  calls,
  live,
  outputs,
  isOpen,
  onToggle,
  isRepeatedAtEnd,
}: StepRowProps) {
  const running = calls.find((call) => call.status === null && (outputs[call.toolCallId] ?? '') !== '');
  return (
    <>
      <RowLine
        id={rowId(step.callId)}
        isOpen={isOpen}
        onToggle={onToggle}
        mark={<RouteDot where={step.where} outcome={stepOutcome(step, calls)} />}
        where={<WhereWord step={step} />}
        label={<Label step={step} calls={calls} />}
        figures={<Figures step={step} calls={calls} live={live} />}
      >
        {() => <StepDetail sessionId={sessionId} step={step} calls={calls} near={near} />}
      </RowLine>
      {step.end === null && live !== undefined && <LiveText live={live} isProse={isProse(step)} />}
      {step.end !== null && !isRepeatedAtEnd && isSaying(step) && (
        <div className="my-1.5 ml-5.5">
          <WholeText sessionId={sessionId} place={{ id: step.callId, near }} text={step.end.text} />
        </div>
      )}
      {running !== undefined && (
        <div className="my-1.5 ml-5.5">
          <TerminalOutput text={outputs[running.toolCallId] ?? ''} />
        </div>
      )}
    </>
  );
}

function WhereWord({ step }: { readonly step: StepState }) {
  return (
    <span className={step.where === 'cloud' ? 'font-semibold text-cloud' : 'text-local'}>
      {t(`step.${step.where}`)}
    </span>
  );
}

function Label({ step, calls }: { readonly step: StepState; readonly calls: readonly ToolCallState[] }) {
  const marks = calls.flatMap((call) => callMark(call) ?? []);
  return (
    <>
      {stepLabel(step)}
      {calls.length > 1 && <span className="text-soft"> {t('step.more', { count: calls.length - 1 })}</span>}
      {stepOutcome(step, calls) === 'stopped' && (
        <span className="ml-2 text-xs font-semibold text-warn">{t('step.stopped')}</span>
      )}
      {calls.some(({ isReused }) => isReused === true) && (
        <span className="ml-2 text-xs text-soft">{t('step.reused')}</span>
      )}
      {marks.length > 0 && <span className="ml-2 text-xs font-semibold text-bad">{marks.join(', ')}</span>}
      {step.end?.error && (
        <span className="ml-2 text-xs font-semibold text-bad">{seenWords(step.end.error.message)}</span>
      )}
    </>
  );
}

function callMark(call: ToolCallState): string | null {
  const status = toolCallStatus(call);
  if (status === 'ok') {
    return call.exitCode === null || call.exitCode === 0 ? null : t('step.exit', { code: call.exitCode });
  }
  const isTold = status !== 'requested' && status !== 'running' && status !== 'cancelled' && status !== 'unknown';
  return isTold ? t(`step.status.${status}`) : null;
}

interface FiguresProps {
  readonly step: StepState;
  readonly calls: readonly ToolCallState[];
  readonly live: LiveCall | undefined;
}

function Figures({ step, calls, live }: FiguresProps) {
  const { end } = step;
  if (end === null) return callPhaseText(live);
  if (calls.some((call) => toolCallStatus(call) === 'running')) return t('step.running');
  const { usage } = end;
  const costs = end.costUsd === 0 ? null : money(end.costUsd);
  const parts = [
    t('step.tokens', {
      input: tokens(usage.freshInput + usage.cacheRead + usage.cacheWrite),
      output: tokens(usage.output),
    }),
    seconds(end.timings.totalMs),
  ];
  return (
    <>
      <span className="max-sm:hidden">{parts[0]} · </span>
      {parts[1]}
      {costs !== null && <span className={step.where === 'cloud' ? 'font-semibold text-cloud' : ''}> · {costs}</span>}
    </>
  );
}

export function callPhaseText(live: LiveCall | undefined): string {
  if (live === undefined) return t('step.starting');
  const share = live.total === null || live.total === 0 ? '' : ` ${Math.round((live.done / live.total) * 100)}%`;
  switch (live.phase) {
    case 'waiting':
      return t('step.waiting');
    case 'loading':
      return t('step.loading', { share });
    case 'prefill':
      if (live.total === null && live.limitMs !== null)
        return t('step.firstWord', { minutes: Math.round(live.limitMs / 6_000) / 10 });
      return t('step.reading', { share });
    case 'decode':
      return plural('step.writing', live.pieces);
    default:
      return live.phase satisfies never;
  }
}

function LiveText({ live, isProse: isRead }: { readonly live: LiveCall; readonly isProse: boolean }) {
  if (live.text + live.reasoning === '') return null;
  if (live.text === '') {
    return (
      <p className="my-1.5 ml-5.5 line-clamp-3 text-xs whitespace-pre-wrap text-soft">{live.reasoning.slice(-600)}</p>
    );
  }
  if (isRead) {
    return (
      <div className="my-1.5 ml-5.5">
        <Markdown text={live.text} isGrowing />
      </div>
    );
  }
  return (
    <div className="my-1.5 ml-5.5">
      <TerminalOutput text={live.text} />
    </div>
  );
}
