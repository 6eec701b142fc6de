import { useState } from 'react';
import type { StepState } from '@shared/session-state.ts';
import { t } from '../../lib/texts.ts';
import { useStepCosts } from '../../lib/use-step-costs.ts';
import { Button } from '../../ui/button.tsx';
import { ElsewhereFigure } from '../../ui/elsewhere.tsx';
import { Section } from '../../ui/facts.tsx';
import { OtherWay } from './other-way.tsx';

/** The whole log is read for it: of a longer session only when a person asks. */
const mostSteps = 200;

interface StepElsewhereProps {
  readonly sessionId: string;
  readonly step: StepState;
  /** Grows with the steps that have ended. */
  readonly version: number;
}

/** What the tokens of one step would have cost in the other place, and the way there; nothing as long as it runs. */
export function StepElsewhere({ sessionId, step, version }: StepElsewhereProps) {
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
        <ElsewhereFigure where={there} label={t(`route.elsewhere.${there}`)} figures={cost.elsewhere} />
      )}
      <OtherWay sessionId={sessionId} step={step} />
    </Section>
  );
}
