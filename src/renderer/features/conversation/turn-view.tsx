import type { CriterionResult, TurnState } from '@shared/session-state.ts';
import { turnStatus } from '@shared/session-state.ts';
import { seconds } from '../../lib/format.ts';
import type { LiveFeed } from '../../lib/live-feed.ts';
import type { TimelineRow, TurnTimeline } from '../../lib/timeline.ts';
import { ActionRow } from './action-row.tsx';
import { StepRow } from './step-row.tsx';

interface TurnViewProps {
  readonly timeline: TurnTimeline;
  readonly feed: LiveFeed;
}

export function TurnView({ timeline, feed }: TurnViewProps) {
  const { turn, message, rows, phases } = timeline;
  return (
    <article className="turn" aria-label={`Turn: ${message?.text.slice(0, 80) ?? ''}`}>
      <div className="user-message">
        <span className="speaker">You</span>
        <p>{message?.text ?? '(the message is no longer in this view; it is in the log)'}</p>
      </div>
      <Rungs turn={turn} />
      <Criterion label="Before the work" turn={turn} result={turn.before} />
      {phases.length > 0 && (
        <ol className="phases" aria-label="Progress">
          {phases.map(({ phase, text }) => (
            <li key={phase}>
              <span className="phase">{phase}</span> {text}
            </li>
          ))}
        </ol>
      )}
      <div className="rows">
        {rows.map((row) => (
          <Row key={row.key} row={row} feed={feed} />
        ))}
      </div>
      <Criterion label="After the work" turn={turn} result={turn.after} />
      <Outcome turn={turn} />
    </article>
  );
}

function Row({ row, feed }: { readonly row: TimelineRow; readonly feed: LiveFeed }) {
  switch (row.type) {
    case 'step':
      return <StepRow step={row.step} calls={row.calls} live={feed.calls[row.step.callId]} outputs={feed.outputs} />;
    case 'action':
      return <ActionRow action={row.action} liveOutput={feed.outputs[row.action.toolCallId]} />;
    case 'message':
      return (
        <div className="user-message user-message-late">
          <span className="speaker">You{row.isWaiting ? ' (waiting for the next step)' : ''}</span>
          <p>{row.message.text}</p>
        </div>
      );
    default:
      return row satisfies never;
  }
}

function Rungs({ turn }: { readonly turn: TurnState }) {
  return turn.rungs.map(({ rung, recipe, reason }, index) => (
    // A rung may be chosen again later in the turn; only its place tells the two apart.
    // oxlint-disable-next-line react/no-array-index-key
    <p key={index} className="muted rung">
      <strong>{recipe ?? rung.gear}</strong> on {rung.model}: {reason}
    </p>
  ));
}

interface CriterionProps {
  readonly label: string;
  readonly turn: TurnState;
  readonly result: CriterionResult | null;
}

function Criterion({ label, turn, result }: CriterionProps) {
  if (result === null) return null;
  return (
    <details className="criterion">
      <summary>
        <span className={result.passed ? 'mark-good' : 'mark-bad'}>{result.passed ? 'passes' : 'fails'}</span> {label}:{' '}
        <code>{turn.criterion?.command}</code>
      </summary>
      <pre>{result.summary}</pre>
    </details>
  );
}

function Outcome({ turn }: { readonly turn: TurnState }) {
  const status = turnStatus(turn);
  if (status === 'running') return null;
  const took = turn.endedAt === null ? '' : ` in ${seconds(turn.endedAt - turn.startedAt)}`;
  return (
    <div className={`outcome outcome-${status === 'done' ? 'done' : 'other'}`}>
      <p className="outcome-head">
        <strong>{statusWords[status]}</strong>
        {took}
        {turn.confidence !== null && <span className="muted"> · {confidenceWords[turn.confidence]}</span>}
        {turn.reason !== null && turn.reason !== status && <span className="muted"> · {turn.reason}</span>}
      </p>
      {turn.text !== '' && <p className="answer">{turn.text}</p>}
      {turn.failure !== null && (
        <p>
          {turn.failure.message} {turn.failure.hint}
        </p>
      )}
    </div>
  );
}

const statusWords = {
  done: 'Done',
  'gave-up': 'Gave up; your files are as they were, unless changes are listed below',
  limit: 'Stopped at a limit',
  cap: 'Stopped at the money cap',
  'needs-approval': 'Stopped: an approval was needed',
  missing: 'Something is missing on this machine',
  cancelled: 'Cancelled',
  error: 'Stopped by an error',
} as const;

const confidenceWords = {
  high: 'tests pass, and they notice changes to what was changed',
  'weak-tests': 'weak tests: they pass, and would pass with other changes, too',
  mechanical: 'found by trying, not by understanding',
  unchecked: 'not checked by tests',
} as const;
