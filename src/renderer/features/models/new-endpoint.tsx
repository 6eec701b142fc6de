import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { knownProviders } from '@shared/models/known-providers.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { KeySignIn } from '../../ui/sign-in/key-sign-in.tsx';
import type { KeyTest } from '@shared/contract/keys-contract.ts';
import { Select } from '../../ui/controls/select.tsx';

interface Typed {
  /** The name of a known service; null for any other. */
  readonly service: string | null;
  readonly name: string;
  readonly baseUrl: string;
  /** Null: as the address says. */
  readonly where: 'local' | 'cloud' | null;
  readonly key: string;
}

const nothing: Typed = { service: null, name: '', baseUrl: '', where: null, key: '' };

interface NewEndpointProps {
  /** Names in use. */
  readonly taken: readonly string[];
  readonly onAdded: () => void;
}

const known: Readonly<Record<string, KnownProvider>> = knownProviders;

function serviceOf({ service }: Typed): KnownProvider | null {
  return service === null ? null : (known[service] ?? null);
}

/** Some services have the same address for everybody. */
function hasAddress(typed: Typed): boolean {
  const service = serviceOf(typed);
  return service === null || service.address !== undefined;
}

function settingsOf(typed: Typed): object {
  const service = serviceOf(typed);
  const baseUrl = typed.baseUrl.trim();
  if (service === null) return { kind: 'openai-compatible', baseUrl, where: typed.where ?? placeOfAddress(baseUrl) };
  const { kind, preset } = service;
  return { kind, ...(preset === undefined ? {} : { preset }), ...(hasAddress(typed) ? { baseUrl } : {}) };
}

/**
 * Adds a known service, or anything that speaks Chat Completions: its address, and its key if it needs one. The key
 * goes to the core once.
 */
export function NewEndpoint({ taken, onAdded }: NewEndpointProps) {
  const [typed, setTyped] = useState(nothing);
  const { state, add, forThisRun } = useAdding(onAdded);
  const areKeysRefused = useIsCommandRefused('keys.set');
  const isTaken = taken.includes(typed.name.trim());
  const submit = async (isWantedAnyway: boolean): Promise<void> => {
    if (await add(typed, isWantedAnyway)) setTyped(nothing);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit(false);
  };
  return (
    <form aria-label={t('endpoints.new')} onSubmit={onSubmit} className="flex flex-col gap-3">
      <Fields typed={typed} isTaken={isTaken} onTyped={(part) => setTyped({ ...typed, ...part })} />
      {!areKeysRefused && typed.service === typed.name && (
        <KeySignIn provider={typed.name} forThisRun={forThisRun} onDone={onAdded} />
      )}
      <Button
        type="submit"
        className="w-fit"
        disabled={
          typed.name.trim() === '' || (hasAddress(typed) && typed.baseUrl.trim() === '') || isTaken || state.isBusy
        }
      >
        {t(state.isBusy ? 'endpoints.testing' : 'endpoints.add')}
      </Button>
      {state.problem !== null && <Problem text={state.problem} />}
      {state.tested !== null && (
        <Notice kind={state.isAdded && hasAnswered(state.tested) ? 'info' : 'warning'}>
          <p>
            {t(state.isAdded ? 'endpoints.added' : 'endpoints.notAdded')} {t(`endpoints.tested.${state.tested.test}`)}{' '}
            {state.tested.text}
          </p>
          {!state.isAdded && (
            <Button size="small" className="mt-1.5" onClick={() => void submit(true)}>
              {t('endpoints.addAnyway')}
            </Button>
          )}
        </Notice>
      )}
    </form>
  );
}

interface FieldsProps {
  readonly typed: Typed;
  readonly isTaken: boolean;
  readonly onTyped: (part: Partial<Typed>) => void;
}

/**
 * `local`: surely on this machine or in its network. Only whole names and addresses count: `localhost.example.com` and
 * `10.example.com` are anywhere.
 */
export function placeOfAddress(baseUrl: string): 'local' | 'cloud' {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  if (host === 'localhost' || host === '[::1]' || /\.(?:local|localhost)$/u.test(host)) return 'local';
  const parts = /^(\d{1,3})\.(\d{1,3})\.\d{1,3}\.\d{1,3}$/u.exec(host);
  const [first, second] = [Number(parts?.[1]), Number(parts?.[2])];
  const isOwn =
    first === 127 ||
    first === 10 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second <= 31);
  return parts !== null && isOwn ? 'local' : 'cloud';
}

function Fields({ typed, isTaken, onTyped }: FieldsProps) {
  const areKeysRefused = useIsCommandRefused('keys.set');
  const service = serviceOf(typed);
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <ServiceChoice typed={typed} onTyped={onTyped} />
      <InputField
        label={t('endpoints.name')}
        hint={t(isTaken ? 'endpoints.taken' : 'endpoints.nameHint')}
        value={typed.name}
        pattern="[a-z0-9][a-z0-9_\-]*"
        required
        spellCheck={false}
        autoComplete="off"
        onText={(name) => onTyped({ name })}
      />
      {hasAddress(typed) && (
        <InputField
          label={t('endpoints.url')}
          hint={t('endpoints.urlHint')}
          type="url"
          value={typed.baseUrl}
          required
          spellCheck={false}
          autoComplete="off"
          placeholder="https://example.org/v1"
          onText={(baseUrl) => onTyped({ baseUrl })}
        />
      )}
      {service === null && (
        <Field label={t('endpoints.where')}>
          {(ids) => (
            <Select
              {...ids}
              value={typed.where ?? placeOfAddress(typed.baseUrl)}

              onChange={({ target }) => onTyped({ where: target.value === 'local' ? 'local' : 'cloud' })}
            >
              <option value="cloud">{t('endpoints.where.cloud')}</option>
              <option value="local">{t('endpoints.where.local')}</option>
            </Select>
          )}
        </Field>
      )}
      {!areKeysRefused && (
        <InputField
          label={t('endpoints.key')}
          hint={keyHint(service)}
          type="password"
          value={typed.key}
          autoComplete="off"
          onText={(key) => onTyped({ key })}
        />
      )}
    </div>
  );
}

function keyHint(service: KnownProvider | null): string {
  const variable = service?.keyVariable ?? null;
  return variable === null ? t('endpoints.keyHint') : t('endpoints.keyHintKnown', { variable });
}

interface ServiceChoiceProps {
  readonly typed: Typed;
  readonly onTyped: (part: Partial<Typed>) => void;
}

function ServiceChoice({ typed, onTyped }: ServiceChoiceProps) {
  const choose = (name: string): void => {
    const service = known[name];
    if (service === undefined) onTyped({ ...nothing, key: typed.key });
    else onTyped({ service: name, name, baseUrl: service.address ?? '' });
  };
  const service = serviceOf(typed);
  const hint = service === null ? undefined : t(service.isOwn === true ? 'endpoints.ownModels' : 'endpoints.listed');
  return (
    <Field label={t('endpoints.service')} {...(hint === undefined ? {} : { hint })}>
      {(ids) => (
        <Select
          {...ids}
          value={typed.service ?? ''}

          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{t('endpoints.anotherService')}</option>
          {Object.entries(known).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface Adding {
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly tested: KeyTest | null;
  /** It is now in the list. */
  readonly isAdded: boolean;
}

const idle: Adding = { isBusy: false, problem: null, tested: null, isAdded: false };

function hasAnswered({ test }: KeyTest): boolean {
  return test === 'accepted' || test === 'open';
}

/** Asks the service for its models. Keeps it and its key only if it answers, or if the user wants it anyway. */
function useAdding(onAdded: () => void) {
  const client = useClient();
  const [state, setState] = useState(idle);
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => client.keys.list(undefined, { signal }) });
  const add = async (typed: Typed, isWantedAnyway: boolean): Promise<boolean> => {
    const { key } = typed;
    const provider = typed.name.trim();
    const place = ['providers', provider];
    setState({ ...idle, isBusy: true });
    // Without an answer or a key, the entry would only block the next try.
    const leave = async (said: Partial<Adding>): Promise<false> => {
      await client.settings.unset({ key: place }).catch(() => undefined);
      setState({ ...idle, ...said });
      onAdded();
      return false;
    };
    try {
      await client.settings.set({ key: place, value: settingsOf(typed) });
      const tested = await (key === '' ? client.keys.test({ provider }) : client.keys.try({ provider, value: key }));
      if (!hasAnswered(tested) && !isWantedAnyway) return await leave({ tested });
      if (key !== '') await client.keys.set({ provider, value: key, forThisRun: keys.data?.store.type !== 'ready' });
      setState({ ...idle, tested, isAdded: true });
      onAdded();
      return true;
    } catch (error) {
      return leave({ problem: failureText(error) });
    }
  };
  return { state, add, forThisRun: keys.data?.store.type !== 'ready' };
}
