import type { StepState } from '@shared/session-state.ts';
import { t } from '../../lib/texts.ts';
import { useStepCosts } from '../../lib/use-step-costs.ts';
import { ElsewhereFigure } from '../../ui/elsewhere.tsx';
import { Section } from '../../ui/facts.tsx';

interface StepElsewhereProps {
  readonly sessionId: string;
  readonly step: StepState;
  /** Grows with the steps that have ended. */
  readonly version: number;
}

/** What the tokens of one step would have cost in the other place; nothing as long as it runs. */
export function StepElsewhere({ sessionId, step, version }: StepElsewhereProps) {
  const { data } = useStepCosts(sessionId, version, step.end !== null);
  const cost = data?.find((one) => one.step === step.step);
  if (step.end === null || cost === undefined) return null;
  const there = cost.where === 'local' ? 'cloud' : 'local';
  return (
    <Section title={t('route.elsewhere')}>
      <ElsewhereFigure where={there} label={t(`route.elsewhere.${there}`)} figures={cost.elsewhere} />
    </Section>
  );
}
