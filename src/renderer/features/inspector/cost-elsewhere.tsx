import { useQuery } from '@tanstack/react-query';
import type { CloudReference, Elsewhere, Interval } from '@shared/counterfactual.ts';
import { counterfactualOf, splitWork } from '@shared/counterfactual.ts';
import type { SessionState } from '@shared/session-state.ts';
import { useClient } from '../../lib/core-context.ts';
import { money, seconds } from '../../lib/format.ts';
import { t } from '../../lib/texts.ts';
import { useModels } from '../../lib/use-local-model.ts';
import { Section } from '../../ui/facts.tsx';
import { RouteDot } from '../../ui/route-dot.tsx';

/** What the same tokens would have cost in one place alone; how that was worked out is one click away. */
export function CostElsewhere({ state }: { readonly state: SessionState }) {
  const reference = useReference(state);
  const { allLocal, allCloud } = counterfactualOf(splitWork(state.steps), reference);
  return (
    <Section title={t('cost.elsewhere')}>
      <Place where="local" figures={allLocal} />
      <Place where="cloud" figures={allCloud} />
    </Section>
  );
}

/** The cloud model that was used last, else the one that is set up; null where it has no price, or there is none. */
function useReference(state: SessionState): CloudReference | null {
  const client = useClient();
  const models = useModels();
  const chosen = useQuery({
    queryKey: ['models', 'cloud'],
    queryFn: ({ signal }) => client.settings.get({ key: 'cloud' }, { signal }),
  });
  const used = state.steps.findLast((step) => step.where === 'cloud')?.model;
  const id = used ?? (typeof chosen.data === 'string' ? chosen.data : null);
  const price = models.data?.find((model) => model.id === id)?.info?.price ?? null;
  return id === null || price === null ? null : { model: id, price };
}

function Place({ where, figures }: { readonly where: 'local' | 'cloud'; readonly figures: Elsewhere }) {
  const { basis, usd, seconds: time, why, formula } = figures;
  return (
    <details className="text-sm">
      <summary className="flex cursor-pointer items-center gap-2 py-1">
        <RouteDot where={where} />
        <span className="flex-1">{t(`cost.all.${where}`)}</span>
        <span className="tabular-nums">{usd === null ? t('cost.notKnown') : span(usd, money)}</span>
      </summary>
      <p className="pb-1 pl-4 text-xs text-soft">
        {t(`cost.basis.${basis}`)}
        {time !== null && ` ${t('cost.time', { time: span(time, (value) => seconds(value * 1000)) })}`}
        {why !== null && ` ${t('cost.why', { why })}`} {t('cost.formula', { formula })}
      </p>
    </details>
  );
}

function span({ value, low, high }: Interval, text: (value: number) => string): string {
  return low === high ? text(value) : `${text(value)} (${text(low)}–${text(high)})`;
}
