import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { removedKeyRestoreMs } from '@shared/safety/removed-key.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { KeySignIn, signInServices } from '../../ui/sign-in/key-sign-in.tsx';
import type { KeyEntry, KeyOutcome, KeyReport, KeyTest } from '@shared/contract/keys-contract.ts';

/** Which services have a key, and from where. A key goes from here to the core once and never comes back. */
export function ApiKeys({ isWanted }: { readonly isWanted: boolean }) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('keys.set');
  const [problem, setProblem] = useState<string | null>(null);
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => client.keys.list(undefined, { signal }) });
  const again = (): Promise<void> => queries.invalidateQueries();
  const remove = async (provider: string): Promise<void> => {
    try {
      setProblem(null);
      await client.keys.remove({ provider });
      const restore = async (): Promise<void> => {
        await client.keys.restore({ provider });
        await again();
      };
      const service = signInServices.find(({ name }) => name === provider);
      const text =
        service === undefined
          ? t('keys.removed', { provider })
          : t('keys.removedHere', { provider, page: service.keysPage });
      offerUndo(text, restore, removedKeyRestoreMs);
      await again();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <Group title={t('keys.title')} isWanted={isWanted}>
      {keys.isPending && <p className="text-sm text-soft">{t('settings.checking')}</p>}
      {keys.error !== null && <Problem text={failureText(keys.error)} onRetry={keys.refetch} />}
      {problem !== null && <Problem text={problem} />}
      {keys.data !== undefined && (
        <>
          <KeyList keys={keys.data.keys} onRemove={isRefused ? null : (provider) => void remove(provider)} />
          {isRefused && <ViewOnly text={t('keys.refused')} />}
          {!isRefused && <NewKey report={keys.data} onSet={() => void again()} />}
          {!isRefused &&
            signInServices.map(({ name }) => (
              <KeySignIn
                key={name}
                provider={name}
                forThisRun={keys.data.store.type !== 'ready'}
                onDone={() => void again()}
              />
            ))}
        </>
      )}
    </Group>
  );
}

interface KeyListProps {
  readonly keys: readonly KeyEntry[];
  /** Null: no key can be removed from this page. */
  readonly onRemove: ((provider: string) => void) | null;
}

function KeyList({ keys, onRemove }: KeyListProps) {
  const isSet = keys.filter((key) => key.source !== null);
  if (isSet.length === 0) return <p className="text-sm text-soft">{t('keys.none')}</p>;
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {isSet.map((key) => (
        <li key={key.provider} className="flex items-center gap-3">
          <span className="font-semibold">{seenName(key.provider)}</span>
          <span className="min-w-0 flex-1 text-xs text-soft">{sourceText(key)}</span>
          {onRemove !== null && key.source !== 'environment' && (
            <Button
              size="small"
              aria-label={t('keys.removeOne', { provider: key.provider })}
              onClick={() => onRemove(key.provider)}
            >
              {t('keys.remove')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function sourceText({ source, variable }: KeyEntry): string {
  if (source === 'environment') return t('keys.environment', { variable: variable ?? '' });
  return t(source === 'store' ? 'keys.store' : 'keys.thisRun');
}

function NewKey({ report, onSet }: { readonly report: KeyReport; readonly onSet: () => void }) {
  const client = useClient();
  const [provider, setProvider] = useState('');
  const [value, setValue] = useState('');
  const [outcome, setOutcome] = useState<KeyOutcome | (KeyTest & { readonly kept: null }) | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { store } = report;
  const [isBusy, setIsBusy] = useState(false);
  const set = async (isWantedAnyway: boolean): Promise<void> => {
    const named = provider.trim();
    setProblem(null);
    setOutcome(null);
    setIsBusy(true);
    try {
      const tested = isWantedAnyway ? null : await client.keys.try({ provider: named, value });
      if (tested?.test === 'refused' || tested?.test === 'unknown') {
        setOutcome({ kept: null, ...tested });
        return;
      }
      setOutcome(await client.keys.set({ provider: named, value, forThisRun: store.type !== 'ready' }));
      setValue('');
      onSet();
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void set(false);
  };
  return (
    <form aria-label={t('keys.title')} onSubmit={onSubmit} className="flex flex-col gap-3">
      {store.type !== 'ready' && (
        <Notice kind="warning">
          {store.message} {store.hint} {t('keys.onlyThisRun')}
        </Notice>
      )}
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_2fr_auto]">
        <ServiceField report={report} provider={provider} onChange={setProvider} />
        <Field label={t('keys.value')}>
          {(ids) => (
            <input
              {...ids}
              type="password"
              autoComplete="off"
              value={value}
              onChange={(event) => setValue(event.target.value)}
              className={inputClass}
            />
          )}
        </Field>
        <Button type="submit" disabled={provider.trim() === '' || value === '' || isBusy}>
          {t(isBusy ? 'endpoints.testing' : 'keys.set')}
        </Button>
      </div>
      {problem !== null && <Problem text={problem} />}
      {outcome !== null && (
        <Notice kind={outcome.test === 'refused' || outcome.test === 'unknown' ? 'warning' : 'info'}>
          <p>
            {t(`keys.kept.${outcome.kept ?? 'not'}`)} {t(`keys.test.${outcome.test}`)} {outcome.text}
          </p>
          {outcome.kept === null && (
            <Button size="small" className="mt-1.5" disabled={value === ''} onClick={() => void set(true)}>
              {t('keys.saveAnyway')}
            </Button>
          )}
        </Notice>
      )}
    </form>
  );
}

interface ServiceFieldProps {
  readonly report: KeyReport;
  readonly provider: string;
  readonly onChange: (provider: string) => void;
}

function ServiceField({ report, provider, onChange }: ServiceFieldProps) {
  return (
    <Field label={t('keys.provider')}>
      {(ids) => (
        <>
          <input
            {...ids}
            list={`${ids.id}-known`}
            value={provider}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
            className={inputClass}
          />
          <datalist id={`${ids.id}-known`}>
            {report.keys.map((key) => (
              <option key={key.provider} value={key.provider}>
                {key.provider}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
