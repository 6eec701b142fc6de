import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { amountsText, type PriceUpdate } from '@shared/money/price-changes.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useWork } from '../../lib/connection/use-work.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** The price list in use. A newer one is fetched only on request, and used after its changes were shown. */
export function ListedPrices() {
  const client = useClient();
  const list = useQuery({ queryKey: ['prices'], queryFn: ({ signal }) => client.prices.show({}, { signal }) });
  const newer = useNewerPrices();
  const { found, work } = newer;
  const isRefused = useIsCommandRefused('prices.update');
  const problem = work.problem ?? (list.error === null ? null : failureText(list.error));
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{t('prices.title')}</h2>
      {list.data !== undefined && (
        <p className="text-sm text-soft">
          {t(list.data.isFetched ? 'prices.fetched' : 'prices.shipped', { date: list.data.date })}
        </p>
      )}
      {problem !== null && <Problem text={problem} />}
      {found !== null && <Changes update={found} />}
      {!isRefused && <Choices newer={newer} isFetched={list.data?.isFetched === true} />}
    </section>
  );
}

/** The list that was asked for, and what can be done with it. */
function useNewerPrices() {
  const { prices } = useClient();
  const work = useWork('prices');
  const [found, setFound] = useState<PriceUpdate | null>(null);
  const [isLooking, setLooking] = useState(false);
  const change = (apply: (signal: AbortSignal) => Promise<PriceUpdate>): void => {
    setLooking(false);
    void work.run(async (signal) => {
      await apply(signal);
      setFound(null);
    });
  };
  return {
    found,
    work,
    isLooking: isLooking && work.isBusy,
    look: () => {
      setFound(null);
      setLooking(true);
      void work.run(async (signal) => setFound(await prices.update({ apply: false }, { signal })));
    },
    use: (hash: string) => change((signal) => prices.update({ apply: true, hash }, { signal })),
    reset: () => change((signal) => prices.reset({}, { signal })),
    keep: () => {
      work.cancel();
      setFound(null);
    },
  };
}

interface ChoicesProps {
  readonly newer: ReturnType<typeof useNewerPrices>;
  readonly isFetched: boolean;
}

function Choices({ newer: { found, work, isLooking, look, use, reset, keep }, isFetched }: ChoicesProps) {
  const { isBusy, cancel } = work;
  return (
    <div className="flex flex-wrap gap-2">
      {found === null || found.changes.length === 0 ? (
        <Button size="small" disabled={isBusy} onClick={look}>
          {t(isLooking ? 'settings.checking' : 'prices.look')}
        </Button>
      ) : (
        <>
          <Button size="small" look="primary" disabled={isBusy} onClick={() => use(found.hash)}>
            {t('prices.use')}
          </Button>
          <Button size="small" disabled={isBusy} onClick={keep}>
            {t('prices.keep')}
          </Button>
        </>
      )}
      {isFetched && (
        <Button size="small" disabled={isBusy} onClick={reset}>
          {t('prices.reset')}
        </Button>
      )}
      {isBusy && (
        <Button size="small" onClick={cancel}>
          {t('prices.cancel')}
        </Button>
      )}
    </div>
  );
}

/** Old and new of each model, what is left out, and how many models the list does not have. */
function Changes({ update: { date, changes, leftOut, keepShipped } }: { readonly update: PriceUpdate }) {
  const what = `${t('prices.fetched', { date })} ${plural('prices.changes', changes.length)}`;
  return (
    <>
      <p className="text-sm">{changes.length + leftOut.length === 0 ? t('prices.same') : what}</p>
      <ChangeList changes={changes} />
      {leftOut.length > 0 && (
        <>
          <p className="text-sm">{plural('prices.leftOut', leftOut.length)}</p>
          <ChangeList changes={leftOut} />
        </>
      )}
      {keepShipped > 0 && <p className="text-xs text-soft">{plural('prices.keepShipped', keepShipped)}</p>}
    </>
  );
}

function ChangeList({ changes }: Pick<PriceUpdate, 'changes'>) {
  return (
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
  );
}
