import { useState } from 'react';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { seconds } from '../../../lib/text/format.ts';
import { useMoney } from '../../../lib/text/use-money.ts';
import { t } from '../../../lib/text/translate.ts';
import { useStepCosts } from '../../../lib/models/use-step-costs.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { CounterfactualFigure } from '../../../ui/figures/counterfactual-figures.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

/** The number of latest steps shown at first. A click shows more. */
const shownSteps = 200;

interface CostStepsProps {
  readonly sessionId: string;
  readonly version: number;
}

/** Each step with the cost of the same tokens in the other place. Computed when it is opened. */
export function CostSteps({ sessionId, version }: CostStepsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { both } = useMoney();
  const [shown, setShown] = useState(shownSteps);
  const { data, error, refetch } = useStepCosts(sessionId, version, isOpen);
  return (
    <div className="mt-6">
      <Fold label={t('cost.steps')} className="text-sm font-semibold" onToggle={setIsOpen}>
        {error !== null && <Problem text={failureText(error)} onRetry={refetch} />}
        {isOpen && data === undefined && error === null && <Empty>{t('cost.steps.loading')}</Empty>}
        {data !== undefined && data.length > shown && (
          <p className="mt-2 flex items-center gap-2 text-sm text-soft">
            {t('cost.steps.last', { count: shown, all: data.length })}
            <Button size="small" onClick={() => setShown(shown + shownSteps)}>
              {t('cost.steps.more')}
            </Button>
          </p>
        )}
        <ol className="mt-2">
          {data?.slice(-shown).map(({ step, where, costUsd, seconds: time, elsewhere }) => (
            <li key={step}>
              <CounterfactualFigure
                where={where === 'local' ? 'cloud' : 'local'}
                label={t('cost.steps.step', { step, money: both(costUsd), time: seconds(time * 1000) })}
                figures={elsewhere}
              />
            </li>
          ))}
        </ol>
      </Fold>
    </div>
  );
}
