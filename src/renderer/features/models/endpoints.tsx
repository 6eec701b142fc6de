import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { removedKeyRestoreMs } from '@shared/safety/removed-key.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useWantedPlace } from '../../lib/window/use-wanted-place.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { NewEndpoint } from './new-endpoint.tsx';
import { SeesPictures } from './sees-pictures.tsx';
import type { KeyTest } from '@shared/contract/keys-contract.ts';
import { fieldOf } from '@shared/unknown-value.ts';

interface Endpoint {
  readonly name: string;
  readonly kind: string;
  readonly preset: string | null;
  readonly baseUrl: string | null;
  /** Whether the user said that its models see pictures. */
  readonly seesPictures: boolean;
}

/**
 * Services and servers that were set up. Each can be tested and removed, and others added. `isWanted`: the user came for
 * it.
 */
export function Endpoints({ isWanted }: { readonly isWanted: boolean }) {
  const place = useWantedPlace(isWanted);
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('settings.set');
  const providers = useQuery({
    queryKey: ['settings', 'providers'],
    queryFn: async ({ signal }) => endpointsOf(await client.settings.get({ key: 'providers' }, { signal })),
  });
  const again = (): void => {
    for (const key of ['settings', 'models', 'keys']) void queries.invalidateQueries({ queryKey: [key] });
  };
  return (
    <section ref={place} tabIndex={-1} aria-label={t('endpoints.title')} className="flex scroll-mt-4 flex-col gap-3">
      <h2 className="text-xs font-semibold text-soft">{t('endpoints.title')}</h2>
      <p className="text-sm text-soft">{t('endpoints.text')}</p>
      {providers.error !== null && <Problem text={failureText(providers.error)} onRetry={providers.refetch} />}
      <ul className="divide-y divide-line rounded-xl border border-line empty:hidden">
        {providers.data?.map((endpoint) => (
          <EndpointRow key={endpoint.name} endpoint={endpoint} isRefused={isRefused} onChanged={again} />
        ))}
      </ul>
      {!isRefused && <NewEndpoint taken={providers.data?.map(({ name }) => name) ?? []} onAdded={again} />}
    </section>
  );
}

interface EndpointRowProps {
  readonly endpoint: Endpoint;
  readonly isRefused: boolean;
  readonly onChanged: () => void;
}

function EndpointRow({ endpoint, isRefused, onChanged }: EndpointRowProps) {
  const { name, kind, preset, baseUrl, seesPictures } = endpoint;
  const { tested, problem, test, remove } = useEndpoint(name, onChanged);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 p-4 text-sm" data-endpoint={name}>
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-semibold wrap-anywhere">{seenName(name)}</p>
        <p className="font-mono text-xs text-soft wrap-anywhere">{seenName(baseUrl ?? preset ?? kind)}</p>
      </div>
      {kind === 'openai-compatible' && (
        <SeesPictures name={name} isOn={seesPictures} settingKey={['providers', name, 'images']} />
      )}
      <Button size="small" disabled={tested === 'testing'} onClick={test}>
        {t(tested === 'testing' ? 'endpoints.testing' : 'endpoints.test')}
      </Button>
      {!isRefused && (
        <Button size="small" look="quiet" aria-label={t('endpoints.removeOne', { name })} onClick={remove}>
          {t('endpoints.remove')}
        </Button>
      )}
      {tested !== null && tested !== 'testing' && (
        <Notice kind={tested.test === 'accepted' ? 'info' : 'warning'} className="w-full">
          {t(`endpoints.tested.${tested.test}`)} {tested.text}
        </Notice>
      )}
      {problem !== null && <Problem className="w-full" text={problem} />}
    </li>
  );
}

function useEndpoint(name: string, onChanged: () => void) {
  const client = useClient();
  const [tested, setTested] = useState<KeyTest | 'testing' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(failureText(error));
      setTested(null);
    }
  };
  const test = async (): Promise<void> => {
    setTested('testing');
    setTested(await client.keys.test({ provider: name }));
  };
  const remove = async (): Promise<void> => {
    const key = ['providers', name];
    const before = await client.settings.get({ key });
    // Must run while the key's provider is still known.
    const { keys } = await client.keys.list();
    const source = keys.find((one) => one.provider === name)?.source ?? null;
    const hasKey = source === 'store' || source === 'this-run';
    if (hasKey) await client.keys.remove({ provider: name });
    await client.settings.unset({ key });
    const restore = async (): Promise<void> => {
      await client.settings.set({ key, value: before });
      onChanged();
      if (hasKey) await client.keys.restore({ provider: name });
      onChanged();
    };
    if (hasKey) offerUndo(t('endpoints.removedWithKey', { name }), restore, removedKeyRestoreMs);
    else offerUndo(t('endpoints.removed', { name }), restore);
    onChanged();
  };
  return { tested, problem, test: () => void attempt(test), remove: () => void attempt(remove) };
}

/** Providers inside Dewpoint, and scripted ones, have no address. */
const withoutAddress = ['llama-cpp', 'scripted'];

function endpointsOf(value: unknown): readonly Endpoint[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return entries
    .map(([name, entry]) => ({
      name,
      kind: textAt(entry, 'kind') ?? '',
      preset: textAt(entry, 'preset'),
      baseUrl: textAt(entry, 'baseUrl'),
      seesPictures: fieldOf(entry, 'images') === true,
    }))
    .filter(({ kind }) => !withoutAddress.includes(kind));
}

function textAt(value: unknown, key: string): string | null {
  const text: unknown = fieldOf(value, key);
  return typeof text === 'string' ? text : null;
}
