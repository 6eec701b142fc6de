import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { EndpointClient } from '@shared/contract/endpoint-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { clock } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/**
 * Models for other programs: whether the app answers them, and their keys. A new key is shown once and stored nowhere.
 */
export function EndpointKeys() {
  const client = useClient();
  const queries = useQueryClient();
  const isWindow = useIsWindow();
  const isRefused = useIsCommandRefused('endpoint.addClient');
  const [problem, setProblem] = useState<string | null>(null);
  const keys = useQuery({
    queryKey: ['endpoint', 'clients'],
    queryFn: ({ signal }) => client.endpoint.clients(undefined, { signal }),
  });
  const revoke = async (name: string): Promise<void> => {
    try {
      setProblem(null);
      await client.endpoint.removeClient({ name });
    } catch (error) {
      setProblem(failureText(error));
    }
    await queries.invalidateQueries({ queryKey: ['endpoint'] });
  };
  return (
    <Group title={t('endpoint.title')}>
      <p className="text-sm text-soft">{t('endpoint.text')}</p>
      {isWindow && <EndpointSwitch />}
      {keys.error !== null && <Problem text={failureText(keys.error)} onRetry={keys.refetch} />}
      {problem !== null && <Problem text={problem} />}
      {keys.data !== undefined && (
        <ClientList clients={keys.data} onRevoke={isRefused ? null : (name) => void revoke(name)} />
      )}
      {isRefused ? <p className="text-sm text-soft">{t('endpoint.refused')}</p> : <NewClient />}
    </Group>
  );
}

function EndpointSwitch() {
  const client = useClient();
  const queries = useQueryClient();
  const queryKey = ['endpoint', 'state'];
  const state = useQuery({ queryKey, queryFn: ({ signal }) => client.host.endpoint(undefined, { signal }) });
  const [problem, setProblem] = useState<string | null>(null);
  const change = async (isOn: boolean): Promise<void> => {
    try {
      setProblem(null);
      queries.setQueryData(queryKey, await client.host.switchEndpoint({ isOn }));
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const wrong = problem ?? state.data?.problem ?? null;
  const url = state.data?.url ?? null;
  return (
    <>
      <Choice
        label={t('endpoint.switch')}
        hint={t('endpoint.switch.hint')}
        value={state.data?.isOn === true ? 'on' : 'off'}
        options={(['off', 'on'] as const).map((value) => ({ value, text: t(`settings.${value}`) }))}
        onChange={(value) => void change(value === 'on')}
      />
      {wrong !== null && <Problem text={wrong} />}
      {url !== null && (
        <p className="flex flex-wrap items-center gap-x-1 text-sm">
          {t('endpoint.at')} <span className="font-mono">{`${url}/v1`}</span>
          <CopyButton text={`${url}/v1`} label={t('endpoint.copyAddress')} />
        </p>
      )}
    </>
  );
}

interface ClientListProps {
  readonly clients: readonly EndpointClient[];
  /** Null: keys cannot be revoked from here. */
  readonly onRevoke: ((name: string) => void) | null;
}

function ClientList({ clients, onRevoke }: ClientListProps) {
  const [now] = useState(() => Date.now());
  if (clients.length === 0) return <p className="text-sm text-soft">{t('endpoint.none')}</p>;
  return (
    <ul aria-label={t('endpoint.title')} className="flex flex-col gap-2 text-sm">
      {clients.map(({ name, mayLeave, createdAt, lastUsedAt }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-semibold">{seenName(name)}</span>
          <span className="min-w-0 flex-1 basis-60 text-xs text-soft">
            {[
              t(mayLeave ? 'endpoint.cloud' : 'endpoint.local'),
              t('endpoint.made', { day: clock(createdAt, now) }),
              lastUsedAt === null ? t('endpoint.unused') : t('endpoint.used', { day: clock(lastUsedAt, now) }),
            ].join(' · ')}
          </span>
          {onRevoke !== null && (
            <Button size="small" aria-label={t('endpoint.revokeOne', { name })} onClick={() => onRevoke(name)}>
              {t('endpoint.revoke')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function NewClient() {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [reach, setReach] = useState<'local' | 'cloud'>('local');
  const [made, setMade] = useState<{ readonly name: string; readonly key: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (): Promise<void> => {
    try {
      setProblem(null);
      setMade(null);
      const { key } = await client.endpoint.addClient({ name: name.trim(), mayLeave: reach === 'cloud' });
      setMade({ name: name.trim(), key });
      setName('');
    } catch (error) {
      setProblem(failureText(error));
    }
    await queries.invalidateQueries({ queryKey: ['endpoint'] });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void add();
  };
  return (
    <form aria-label={t('endpoint.new')} onSubmit={onSubmit} className="flex flex-col gap-3">
      <InputField
        label={t('endpoint.name')}
        hint={t('endpoint.name.hint')}
        value={name}
        maxLength={40}
        spellCheck={false}
        autoComplete="off"
        onText={setName}
      />
      <Choice
        label={t('endpoint.reach')}
        hint={t('endpoint.reach.hint')}
        value={reach}
        options={(['local', 'cloud'] as const).map((value) => ({ value, text: t(`endpoint.${value}`) }))}
        onChange={setReach}
      />
      <Button type="submit" className="self-start" disabled={name.trim() === ''}>
        {t('endpoint.make')}
      </Button>
      {problem !== null && <Problem text={problem} />}
      {made !== null && (
        <Notice kind="info">
          <p>{t('endpoint.shownOnce', { name: made.name })}</p>
          <p className="mt-1 flex flex-wrap items-center gap-1">
            <code className="font-mono wrap-anywhere">{made.key}</code>
            <CopyButton text={made.key} label={t('endpoint.copyKey')} />
          </p>
        </Notice>
      )}
    </form>
  );
}
