import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { LlamaServerLook } from '@shared/contract/models-contract.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { useWantedPlace } from '../../lib/window/use-wanted-place.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';

/** The entry of the settings, and its name. */
interface OwnEntry {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Finds, tests and sets up the user's own llama-server. `isWanted`: the user came for it. */
export function OwnLlamaServer({ isWanted }: { readonly isWanted: boolean }) {
  const place = useWantedPlace(isWanted);
  const isRefused = useIsCommandRefused('models.lookForServer');
  return (
    <section ref={place} tabIndex={-1} aria-label={t('ownServer.title')} className="flex scroll-mt-4 flex-col gap-3">
      <h2 className="text-xs font-semibold text-soft">{t('ownServer.title')}</h2>
      <p className="text-sm text-soft">{t('ownServer.text')}</p>
      {isRefused ? (
        <p className="text-sm text-soft wrap-anywhere">
          <TextWithCode text={t('ownServer.refused')} />
        </p>
      ) : (
        <SetUp />
      )}
    </section>
  );
}

function SetUp() {
  const client = useClient();
  const isWindow = useIsWindow();
  const { own, look, isLooking, problem, use } = useOwnServer();
  const [typed, setTyped] = useState<string | null>(null);
  const kept = fieldOf(own?.value, 'program');
  const program = typed ?? (typeof kept === 'string' ? kept : '');
  const choose = async (): Promise<void> => {
    const { path } = await client.host.chooseProgram();
    if (path !== null) setTyped(path);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void use(program.trim() === '' ? null : program.trim());
  };
  return (
    <form aria-label={t('ownServer.title')} onSubmit={submit} className="flex flex-col gap-3">
      {own !== null && look === null && (
        <p className="text-sm wrap-anywhere">
          {t('ownServer.inUse', { program: typeof kept === 'string' ? seenName(kept) : t('ownServer.usual') })}
        </p>
      )}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <Field label={t('ownServer.program')}>
            {(ids) => (
              <input
                {...ids}
                value={program}
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => setTyped(target.value)}
                className={`${inputClass} h-8 font-mono text-xs`}
              />
            )}
          </Field>
        </div>
        {isWindow && (
          <Button onClick={() => void choose()}>
            <Icon name="folder" /> {t('task.choose')}
          </Button>
        )}
        <Button type="submit" disabled={isLooking}>
          {t(isLooking ? 'ownServer.looking' : 'ownServer.look')}
        </Button>
      </div>
      <p className="text-xs text-soft">{t('ownServer.program.hint')}</p>
      {problem !== null && <Problem text={problem} />}
      <div aria-live="polite">{look !== null && <Outcome look={look} />}</div>
    </form>
  );
}

/** What the test found, and what to do where there is no program that works. */
function Outcome({ look: { path, version, cards, problem, places, howToGet } }: { readonly look: LlamaServerLook }) {
  if (problem === null && path !== null && version !== null)
    return (
      <Notice kind="info">
        {t('ownServer.works', {
          version: seenWords(version),
          path: seenName(path),
          cards: cards.map((card) => seenName(card)).join(', ') || t('ownServer.noCard'),
        })}
      </Notice>
    );
  return (
    <Notice kind="warning">
      {[`${seenWords(problem ?? '')} ${t('ownServer.kept')}`, places, howToGet].map((text) => (
        <p key={text} className="wrap-anywhere">
          <TextWithCode text={text} />
        </p>
      ))}
    </Notice>
  );
}

/** The settings change only after the program was tried. */
function useOwnServer() {
  const client = useClient();
  const queries = useQueryClient();
  const [look, setLook] = useState<LlamaServerLook | null>(null);
  const [isLooking, setIsLooking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const providers = useQuery({
    queryKey: ['settings', 'providers', 'whole'],
    queryFn: ({ signal }) => client.settings.get({ key: 'providers' }, { signal }),
  });
  const own = ownEntry(providers.data);
  const use = async (program: string | null): Promise<void> => {
    setIsLooking(true);
    setProblem(null);
    setLook(null);
    try {
      const found = await client.models.lookForServer({ program });
      if (found.problem === null) {
        const { program: _before, ...others } = own?.value ?? {};
        const value = { ...others, kind: 'llama-server', ...(program === null ? {} : { program }) };
        await client.settings.set({ key: ['providers', own?.name ?? freeName(providers.data)], value });
        for (const key of ['settings', 'models', 'attachments', 'doctor'])
          await queries.invalidateQueries({ queryKey: [key] });
      }
      setLook(found);
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setIsLooking(false);
    }
  };
  return { own, look, isLooking, problem, use };
}

function ownEntry(providers: unknown): OwnEntry | null {
  const entries = isRecord(providers) ? Object.entries(providers) : [];
  for (const [name, value] of entries) if (isRecord(value) && value.kind === 'llama-server') return { name, value };
  return null;
}

/** The usual name may belong to an endpoint at an address. */
function freeName(providers: unknown): string {
  return isRecord(providers) && 'llama-server' in providers ? 'own-llama-server' : 'llama-server';
}
