import { memo, useEffect, useRef } from 'react';
import type { StepState } from '@shared/session/session-state.ts';
import { hasFailed } from '../../lib/session/step-outcome.ts';
import { t } from '../../lib/text/translate.ts';
import { RouteDot } from '../../ui/figures/route-dot.tsx';

interface StepDotsProps {
  readonly steps: readonly StepState[];
  readonly selectedId: string | null;
  readonly onSelect: (callId: string) => void;
}

/** One dot a step, in order: where it ran, and by a click why. */
export const StepDots = memo(function DotsStrip({ steps, selectedId, onSelect }: StepDotsProps) {
  const strip = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // The latest step is what one looks for.
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
          <Dot step={step} isSelected={step.callId === selectedId} onSelect={onSelect} />
        </li>
      ))}
    </ol>
  );
});

interface DotProps {
  readonly step: StepState;
  readonly isSelected: boolean;
  readonly onSelect: (callId: string) => void;
}

/** There are hundreds, and an event changes one of them. */
const Dot = memo(function Dot({ step, isSelected, onSelect }: DotProps) {
  const description = describe(step);
  return (
    <button
      type="button"
      title={description}
      aria-label={description}
      aria-pressed={isSelected}
      onClick={() => onSelect(step.callId)}
      className="flex size-6 items-center justify-center rounded-full hover:bg-chosen aria-pressed:bg-chosen"
    >
      <RouteDot where={step.where} isRunning={step.end === null} hasFailed={hasFailed(step)} />
    </button>
  );
});

function describe(step: StepState): string {
  const { label, reason } = step;
  return t('step.describe', { step: step.step, where: t(`step.${step.where}`), label, reason }).trim();
}
