import { counterfactualOf } from '@shared/money/counterfactual.ts';
import { sessionWork } from '@shared/money/workload.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { t } from '../../../lib/text/translate.ts';
import { useCloudReference } from '../../../lib/models/use-cloud-reference.ts';
import { CounterfactualFigures, EnergyText } from '../../../ui/figures/counterfactual-figures.tsx';
import { Section } from '../../../ui/layout/facts.tsx';

/** What the same work would have cost in one place alone, and what was drawn from the wall. */
export function CostCounterfactual({ state }: { readonly state: SessionState }) {
  const reference = useCloudReference(state);
  const work = sessionWork(state);
  return (
    <>
      <Section title={t('cost.elsewhere')}>
        <CounterfactualFigures figures={counterfactualOf(work, reference)} />
      </Section>
      <Section title={t('cost.energy')}>
        <EnergyText energy={work.local} localCalls={work.local.calls} />
      </Section>
    </>
  );
}
