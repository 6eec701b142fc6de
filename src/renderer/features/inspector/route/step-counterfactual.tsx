import { useState } from 'react';
import type { StepState } from '@shared/session/session-state.ts';
import { t } from '../../../lib/text/translate.ts';
import { useStepCosts } from '../../../lib/models/use-step-costs.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { CounterfactualFigure } from '../../../ui/figures/counterfactual-figures.tsx';
import { Section } from '../../../ui/layout/facts.tsx';
import { AskAgainButton } from '../../../ui/model-picker/ask-again-button.tsx';
import { RerunStep } from './rerun-step.tsx';

/** This reads the whole log, so in longer sessions it waits for a click. */
const mostSteps = 200;

interface StepCounterfactualProps {
  readonly sessionId: string;
  readonly step: StepState;
  /** Grows with the steps that have ended. */
  readonly version: number;
}

/** The cost of a step's tokens in the other place, and the way to run it there. Empty while the step runs. */
export function StepCounterfactual({ sessionId, step, version }: StepCounterfactualProps) {
  const [isAsked, setAsked] = useState(false);
  const isShort = version <= mostSteps;
  const { data } = useStepCosts(sessionId, version, step.end !== null && (isShort || isAsked));
  const cost = data?.find((one) => one.step === step.step);
  if (step.end === null) return null;
  const there = step.where === 'local' ? 'cloud' : 'local';
  return (
    <Section title={t('route.elsewhere')}>
      {!isShort && !isAsked && (
        <Button size="small" className="w-fit" onClick={() => setAsked(true)}>
          {t('route.elsewhere.ask')}
        </Button>
      )}
      {cost !== undefined && (
        <CounterfactualFigure where={there} label={t(`route.elsewhere.${there}`)} figures={cost.elsewhere} />
      )}
      <RerunStep sessionId={sessionId} step={step} />
      {step.end.error === null && (
        <AskAgainButton label={t('again.step')} sessionIds={[sessionId]} callId={step.callId} />
      )}
    </Section>
  );
}
