import type { StepState, ToolCallState } from '@shared/session-state.ts';
import { decodeSpeedOf, toolCallStatus } from '@shared/session-state.ts';
import { money, seconds, speed, tokens } from '../../lib/format.ts';
import type { LiveCall } from '../../lib/live-feed.ts';
import { rowId } from './row-id.ts';

interface StepRowProps {
  readonly step: StepState;
  readonly calls: readonly ToolCallState[];
  /** What the model says right now, while it does. */
  readonly live: LiveCall | undefined;
  readonly outputs: Readonly<Record<string, string>>;
}

/** One model call and what it caused: a line with its figures; its reason, answer and outputs unfold. */
export function StepRow({ step, calls, live, outputs }: StepRowProps) {
  return (
    <>
      <details id={rowId(step.callId)} className="row">
        <summary>
          <span className="row-number">{step.step}</span>
          <span className={`where where-${step.where}`}>{step.where}</span>
          <span className="row-label">
            {step.label} <CallMarks calls={calls} />
          </span>
          <Figures step={step} live={live} />
        </summary>
        <div className="row-body">
          <p className="muted">
            {step.rung.gear} on {step.model} · {step.purpose}
            {step.reason !== '' && ` · ${step.reason}`}
            {step.waitedMs > 0 && ` · waited ${seconds(step.waitedMs)} for the engine`}
          </p>
          {step.end?.error && <p className="mark-bad">{step.end.error.message}</p>}
          {step.end !== null && step.end.text !== '' && <pre>{step.end.text}</pre>}
          {calls.map((call) => (
            <CallDetails key={call.toolCallId} call={call} liveOutput={outputs[call.toolCallId]} />
          ))}
        </div>
      </details>
      {/* Visible without unfolding, because it is what happens now. */}
      {step.end === null && live !== undefined && live.text + live.reasoning !== '' && (
        <pre className="live">{live.text === '' ? live.reasoning : live.text}</pre>
      )}
    </>
  );
}

function Figures({ step, live }: Pick<StepRowProps, 'step' | 'live'>) {
  const { end } = step;
  if (end === null) return <span className="figures figures-running">{phaseText(live)}</span>;
  const parts = [
    seconds(end.timings.totalMs),
    speed(decodeSpeedOf(end)),
    `${tokens(end.usage.freshInput + end.usage.cacheRead + end.usage.cacheWrite)} → ${tokens(end.usage.output)} tokens`,
    money(end.costUsd),
  ];
  return <span className="figures">{parts.filter((part) => part !== null).join(' · ')}</span>;
}

function phaseText(live: LiveCall | undefined): string {
  if (live === undefined) return 'starting …';
  const share = live.total === null || live.total === 0 ? '' : ` ${Math.round((live.done / live.total) * 100)} %`;
  switch (live.phase) {
    case 'waiting':
      return 'waiting for the engine …';
    case 'loading':
      return `loading the model${share} …`;
    case 'prefill':
      return `reading${share} …`;
    case 'decode':
      return `writing · ${live.pieces} tokens`;
    default:
      return live.phase satisfies never;
  }
}

/** What went wrong in the calls of a step, in its line. */
function CallMarks({ calls }: { readonly calls: readonly ToolCallState[] }) {
  const marks = calls.flatMap((call) => callMark(call) ?? []);
  return (
    <>
      {calls.length > 1 && <span className="muted">and {calls.length - 1} more </span>}
      {marks.length > 0 && <span className="mark-bad">{marks.join(', ')}</span>}
    </>
  );
}

function callMark(call: ToolCallState): string | null {
  const status = toolCallStatus(call);
  if (status === 'ok') return call.exitCode === null || call.exitCode === 0 ? null : `exit ${call.exitCode}`;
  return status === 'requested' || status === 'running' ? null : status;
}

function CallDetails({ call, liveOutput }: { readonly call: ToolCallState; readonly liveOutput: string | undefined }) {
  const output = call.status === null ? (liveOutput ?? '') : call.output;
  return (
    <section className="call" aria-label={call.label}>
      <p>
        <strong>{call.label}</strong>{' '}
        <span className="muted">
          {toolCallStatus(call)}
          {call.durationMs !== null && ` · ${seconds(call.durationMs)}`}
        </span>
      </p>
      {output !== '' && <pre>{output}</pre>}
      {call.outputLeftOut && <p className="muted">The output is in the log: dewpoint sessions show.</p>}
    </section>
  );
}
