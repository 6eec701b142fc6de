import type { StepState } from '@shared/session-state.ts';
import { rowId } from './row-id.ts';

interface DotsStripProps {
  readonly steps: readonly StepState[];
}

/** One dot a step. Where it ran is its colour and its shape: round is local, a diamond is cloud. */
export function DotsStrip({ steps }: DotsStripProps) {
  if (steps.length === 0) return null;
  return (
    <ol className="dots" aria-label="Where each step ran">
      {steps.map((step) => (
        <li key={step.callId}>
          <button
            type="button"
            className={`dot dot-${step.where}${step.end === null ? ' dot-running' : ''}${step.end?.error ? ' dot-failed' : ''}`}
            title={describe(step)}
            aria-label={describe(step)}
            onClick={() => showRow(step.callId)}
          />
        </li>
      ))}
    </ol>
  );
}

function describe(step: StepState): string {
  const reason = step.reason === '' ? '' : ` ${step.reason}`;
  return `Step ${step.step}, ${step.where}: ${step.label}.${reason}`;
}

function showRow(callId: string): void {
  const row = document.getElementById(rowId(callId));
  if (!(row instanceof HTMLDetailsElement)) return;
  row.open = true;
  row.scrollIntoView({ block: 'center' });
  row.querySelector('summary')?.focus();
}
