import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Finding, SetupTrial } from '@shared/contract/home-contract.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { money } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { HintText } from '../../ui/notices/hint-text.tsx';
import { FindingRow } from './finding-row.tsx';

type Tried = ReadonlyMap<string, Finding | 'running'>;

/** What can be tried once: the sandbox, each tool server, and each model. Nothing runs before its button is pressed. */
export function SetupTrials() {
  const client = useClient();
  const isRefused = useIsCommandRefused('setup.try');
  const trials = useQuery({
    queryKey: ['setup', 'trials'],
    queryFn: ({ signal }) => client.setup.trials(undefined, { signal }),
  });
  const { tried, run } = useTrials();
  const all = trials.data ?? [];
  const free = all.filter(({ mostUsd }) => mostUsd === 0);
  const isBusy = [...tried.values()].includes('running');
  if (trials.error !== null) return <p className="text-sm">{failureText(trials.error)}</p>;
  if (all.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      <h3 className="text-sm font-semibold">{t('setup.try.title')}</h3>
      <p className="text-sm text-soft">{t('setup.try.text')}</p>
      {isRefused ? (
        <HintText hint={t('setup.try.refused')} />
      ) : (
        <>
          <ul className="flex flex-col gap-3 text-sm">
            {all.map((trial) => (
              <TrialRow
                key={trial.id}
                trial={trial}
                tried={tried.get(trial.id) ?? null}
                isBusy={isBusy}
                onTry={() => void run([trial])}
              />
            ))}
          </ul>
          {free.length > 1 && (
            <Button size="small" className="w-fit" disabled={isBusy} onClick={() => void run(free)}>
              {t('setup.try.all', { count: free.length })}
            </Button>
          )}
        </>
      )}
    </div>
  );
}

/** Runs trials one after the other, so that none makes another slower. */
function useTrials() {
  const client = useClient();
  const [tried, setTried] = useState<Tried>(new Map());
  const isRunning = useRef(false);
  const note = (id: string, found: Finding | 'running'): void => setTried((before) => new Map(before).set(id, found));
  const run = async (trials: readonly SetupTrial[]): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    for (const { id, area } of trials) {
      note(id, 'running');
      try {
        note(id, await client.setup.try({ id }));
      } catch (error) {
        note(id, { area, status: 'missing', text: failureText(error), hint: null });
      }
    }
    isRunning.current = false;
  };
  return { tried, run };
}

interface TrialRowProps {
  readonly trial: SetupTrial;
  readonly tried: Finding | 'running' | null;
  readonly isBusy: boolean;
  readonly onTry: () => void;
}

function TrialRow({ trial, tried, isBusy, onTry }: TrialRowProps) {
  const { text, mostUsd } = trial;
  const cost = mostUsd === null ? t('setup.try.unpriced') : t('setup.try.costs', { usd: money(mostUsd) });
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-start justify-between gap-3">
        <p className="min-w-0 wrap-anywhere">
          {text}
          {mostUsd !== 0 && <span className="text-soft"> {cost}</span>}
        </p>
        <Button size="small" aria-label={`${t('setup.try')}: ${text}`} disabled={isBusy} onClick={onTry}>
          {t(tried === 'running' ? 'setup.trying' : 'setup.try')}
        </Button>
      </div>
      <div aria-live="polite">{tried !== null && tried !== 'running' && <FindingRow finding={tried} />}</div>
    </li>
  );
}
