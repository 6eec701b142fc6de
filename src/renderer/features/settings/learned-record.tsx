import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { HarmView, Judge, LearnedReport, LearnedRow } from '@shared/routing/outcomes.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { money } from '../../lib/text/format.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { WideContent } from '../../ui/layout/wide-content.tsx';

/** What this machine learned about its models, from what, and the way to forget it. */
export function LearnedRecord() {
  const client = useClient();
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['learned'],
    queryFn: ({ signal }) => client.routing.learned({}, { signal }),
  });
  const forget = async (): Promise<void> => {
    try {
      await client.routing.forget({});
      announce({ kind: 'info', text: t('settings.learned.forgotten') });
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
    await queries.invalidateQueries({ queryKey: ['learned'] });
  };
  if (data === undefined) return null;
  return (
    <Fold label={t('settings.learned')}>
      {data.rows.length === 0 ? (
        <p className="mt-2 text-sm text-soft">{t('settings.learned.none')}</p>
      ) : (
        <>
          <LearnedTable rows={data.rows} />
          <Said report={data} />
          <Button size="small" className="mt-2" onClick={() => void forget()}>
            {t('settings.learned.forget')}
          </Button>
        </>
      )}
    </Fold>
  );
}

function LearnedTable({ rows }: { readonly rows: readonly LearnedRow[] }) {
  return (
    <WideContent>
      <table className="mt-2 w-full text-sm" aria-label={t('settings.learned')}>
        <thead>
          <tr className="border-b border-line text-left text-soft">
            {(['model', 'kind', 'solves', 'by'] as const).map((name) => (
              <th key={name} scope="col" className="py-1 pr-3 font-normal">
                {t(`settings.learned.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ model, kind, share, by }) => (
            <tr key={`${model} ${kind}`} className="border-b border-line last:border-0">
              <th scope="row" className="py-1 pr-3 text-left font-mono text-xs font-normal">
                {seenName(model)}
              </th>
              <td className="py-1 pr-3">{t(`settings.learned.kind.${kind}`)}</td>
              <td
                className="py-1 pr-3 tabular-nums"
                title={t('settings.learned.count', {
                  solved: Math.round(share.solved),
                  tasks: Math.round(share.tasks),
                })}
              >
                {t('settings.learned.share', {
                  value: tenths(share.value),
                  low: tenths(share.low),
                  high: tenths(share.high),
                })}
              </td>
              <td className="py-1 text-soft">{judgedBy(by)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </WideContent>
  );
}

/** The bound itself, and the pace of the month. */
function Said({ report: { harm, pace } }: { readonly report: LearnedReport }) {
  return (
    <div className="mt-2 flex flex-col gap-1 text-sm text-soft">
      {harm !== null && <p>{harmText(harm)}</p>}
      {pace !== null && pace.factor > 1 && (
        <p>
          {t('settings.learned.pace', {
            spent: money(pace.spentUsd),
            limit: money(pace.limitUsd),
            factor: pace.factor,
          })}
        </p>
      )}
    </div>
  );
}

function harmText({ bound, tasks, harms, least, limit }: HarmView): string {
  const allowed = Math.round(1 / limit);
  return bound === null
    ? t('settings.learned.unknown', { harms, tasks, least, limit: allowed })
    : t('settings.learned.bound', { rate: Math.floor(1 / bound), tasks, limit: allowed });
}

const judges: readonly Judge[] = [
  'check',
  'taken',
  'undone',
  'reverted',
  'asked-again',
  'calibration',
  'comparison',
  'count',
];

function judgedBy(by: LearnedRow['by']): string {
  return judges
    .flatMap((judge) => {
      const count = Math.round(by[judge] ?? 0);
      return count === 0 ? [] : [t('settings.learned.judge', { judge: t(`settings.learned.judge.${judge}`), count })];
    })
    .join(', ');
}

const tenths = (value: number): number => Math.round(value * 10);
