import { counterfactualOf } from '@shared/counterfactual.ts';
import { sessionWork } from '@shared/workload.ts';
import type { SessionState } from '@shared/session-state.ts';
import { t } from '../../lib/texts.ts';
import { useReference } from '../../lib/use-reference.ts';
import { ElsewhereFigures, EnergyText } from '../../ui/elsewhere.tsx';
import { Section } from '../../ui/facts.tsx';

/** What the same work would have cost in one place alone, and what was drawn from the wall. */
export function CostElsewhere({ state }: { readonly state: SessionState }) {
  const reference = useReference(state);
  const work = sessionWork(state);
  return (
    <>
      <Section title={t('cost.elsewhere')}>
        <ElsewhereFigures figures={counterfactualOf(work, reference)} />
      </Section>
      <Section title={t('cost.energy')}>
        <EnergyText energy={work.local} localCalls={work.local.calls} />
      </Section>
    </>
  );
}
