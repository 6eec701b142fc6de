import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { amountsText, type PriceUpdate } from '@shared/money/price-changes.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

const listKey = ['prices'];

/** The price list in use. A newer one is fetched only on request, and used after its changes were shown. */
export function ListedPrices() {
  const client = useClient();
  const queries = useQueryClient();
  const list = useQuery({ queryKey: listKey, queryFn: ({ signal }) => client.prices.show({}, { signal }) });
  const found = useMutation({ mutationFn: () => client.prices.update({ apply: false }) });
  const use = useMutation({
    mutationFn: (from: 'fetched' | 'shipped') =>
      from === 'fetched' ? client.prices.update({ apply: true }) : client.prices.reset(),
    onSuccess: (now) => {
      queries.setQueryData(listKey, now);
      found.reset();
    },
  });
  const isRefused = useIsCommandRefused('prices.update');
  const isBusy = found.isPending || use.isPending;
  const failure = list.error ?? found.error ?? use.error;
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{t('prices.title')}</h2>
      {list.data !== undefined && (
        <p className="text-sm text-soft">
          {t(list.data.isFetched ? 'prices.fetched' : 'prices.shipped', { date: list.data.date })}
        </p>
      )}
      {failure !== null && <Problem text={failureText(failure)} />}
      {found.data !== undefined && <Changes update={found.data} />}
      {!isRefused && (
        <div className="flex flex-wrap gap-2">
          {found.data === undefined ? (
            <Button size="small" disabled={isBusy} onClick={() => found.mutate()}>
              {t(isBusy ? 'settings.checking' : 'prices.look')}
            </Button>
          ) : (
            <>
              <Button size="small" look="primary" disabled={isBusy} onClick={() => use.mutate('fetched')}>
                {t('prices.use')}
              </Button>
              <Button size="small" disabled={isBusy} onClick={() => found.reset()}>
                {t('prices.keep')}
              </Button>
            </>
          )}
          {list.data?.isFetched === true && (
            <Button size="small" disabled={isBusy} onClick={() => use.mutate('shipped')}>
              {t('prices.reset')}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

/** Old and new of each model. */
function Changes({ update: { date, changes } }: { readonly update: PriceUpdate }) {
  return (
    <>
      <p className="text-sm">{`${t('prices.fetched', { date })} ${plural('prices.changes', changes.length)}`}</p>
      <ul className="max-h-64 overflow-y-auto text-xs">
        {changes.map(({ model, before, after }) => (
          <li key={model} className="flex flex-wrap justify-between gap-x-4 py-0.5">
            <span className="font-mono break-all">{seenName(model)}</span>
            <span className="tabular-nums">
              {before === null ? t('cost.notKnown') : amountsText(before)} →{' '}
              {after === null ? t('cost.notKnown') : amountsText(after)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
