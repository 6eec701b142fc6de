import { memo, useEffect, useMemo, useRef } from 'react';
import type { StepState, ToolCallState } from '@shared/session/session-state.ts';
import type { StepOutcome } from '../../lib/session/step-outcome.ts';
import { stepOutcomes } from '../../lib/session/step-outcome.ts';
import { t } from '../../lib/text/translate.ts';
import { RouteDot } from '../../ui/figures/route-dot.tsx';

interface StepDotsProps {
  readonly steps: readonly StepState[];
  readonly toolCalls: readonly ToolCallState[];
  readonly selectedId: string | null;
  readonly onSelect: (callId: string) => void;
}

/** One dot for each step, in order: where it ran. A click shows why. */
export const StepDots = memo(function DotsStrip({ steps, toolCalls, selectedId, onSelect }: StepDotsProps) {
  const outcomes = useMemo(() => stepOutcomes({ steps, toolCalls }), [steps, toolCalls]);
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // The latest step is the most interesting one.
    strip.current?.scrollTo({ left: strip.current.scrollWidth });
  }, [steps.length]);
  if (steps.length === 0) return null;
  return (
    <ol
      ref={strip}
      className="flex items-center -ml-1.5 overflow-x-auto py-1 no-scrollbar"
      aria-label={t('session.dots')}
    >
      {steps.map((step, index) => (
        <li key={step.callId} className="flex items-center">
          {index > 0 && <span aria-hidden="true" className="h-px w-2 bg-line" />}
          <Dot
            step={step}
            outcome={outcomes[index] ?? 'done'}
            isSelected={step.callId === selectedId}
            onSelect={onSelect}
          />
        </li>
      ))}
    </ol>
  );
});

interface DotProps {
  readonly step: StepState;
  readonly outcome: StepOutcome;
  readonly isSelected: boolean;
  readonly onSelect: (callId: string) => void;
}

/** Memoized: there are hundreds of dots, and an event changes one. */
const Dot = memo(function Dot({ step, outcome, isSelected, onSelect }: DotProps) {
  const description = describe(step, outcome);
  return (
    <button
      type="button"
      title={description}
      aria-label={description}
      aria-pressed={isSelected}
      onClick={() => onSelect(step.callId)}
      className="flex size-6 items-center justify-center rounded-full hover:bg-chosen aria-pressed:bg-chosen"
    >
      <RouteDot where={step.where} outcome={outcome} />
    </button>
  );
});

function describe(step: StepState, outcome: StepOutcome): string {
  const { label, reason } = step;
  return t(outcome === 'stopped' ? 'step.describeStopped' : 'step.describe', {
    step: step.step,
    where: t(`step.${step.where}`),
    label,
    reason,
  }).trim();
}
