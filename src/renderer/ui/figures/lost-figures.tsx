import { lostUsd, lostKinds, lostSum, type LostCalls } from '@shared/money/lost-calls.ts';
import { useMoney } from '../../lib/text/use-money.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Facts, Section } from '../layout/facts.tsx';

/** What was paid for calls that were of no use, apart by why. Empty where there were none. */
export function LostFigures({ lost }: { readonly lost: LostCalls }) {
  const { both } = useMoney();
  const all = lostSum(lost);
  if (all.calls === 0) return null;
  return (
    <Section title={t('cost.lost')}>
      <Facts
        facts={[
          ...lostKinds.map((kind): [string, string | null] => {
            const { calls } = lost[kind];
            const money = both(lostUsd(lost[kind]));
            return [t(`cost.lost.${kind}`), calls === 0 ? null : plural('cost.lost.calls', calls, { money })];
          }),
          [t('cost.lost.all'), plural('cost.lost.calls', all.calls, { money: both(lostUsd(all)) })],
        ]}
      />
      <p className="text-sm text-soft">{t('cost.lost.note')}</p>
    </Section>
  );
}
