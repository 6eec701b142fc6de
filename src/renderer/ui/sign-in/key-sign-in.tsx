import { useState } from 'react';
import type { KeyOutcome } from '@shared/contract/keys-contract.ts';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { knownProviders } from '@shared/models/known-providers.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { useWork } from '../../lib/connection/use-work.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { Notice } from '../notices/notice.tsx';
import { Problem } from '../notices/problem.tsx';
import { SignInWaiting } from './sign-in-waiting.tsx';

interface KeySignInProps {
  readonly provider: string;
  /** There is no key store, so the key lasts as long as the app runs. */
  readonly forThisRun: boolean;
  readonly onDone: () => void;
}

/** The button of a service that creates a key by a sign-in. Empty for other services. Only a click starts it. */
export function KeySignIn({ provider, forThisRun, onDone }: KeySignInProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const work = useWork('keys');
  const [url, setUrl] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<KeyOutcome | null>(null);
  const service = signInServices.find(({ name }) => name === provider);
  if (service === undefined) return null;
  const openBrowser = (): Promise<void> =>
    client.host.openSignIn({ kind: 'provider', name: provider }).catch(() => undefined);
  const begin = async (): Promise<void> => {
    setOutcome(null);
    const isDone = await work.run(async (signal) => {
      for await (const progress of await client.keys.signIn({ provider, forThisRun }, { signal })) {
        if (progress.type === 'done') setOutcome(progress.outcome);
        else {
          setUrl(progress.url);
          // If the browser does not open, the user can copy the address.
          if (isWindow) await openBrowser();
        }
      }
    });
    setUrl(null);
    if (isDone) onDone();
  };
  if (work.isBusy) {
    const open = url === null ? null : { url, by: new URL(url).host, scopes: [], code: null };
    const finish = (address: string): Promise<void> => client.keys.finishSignIn({ provider, address });
    return (
      <SignInWaiting open={open} openBrowser={isWindow ? openBrowser : null} finish={finish} onCancel={work.cancel} />
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <Button className="w-fit" title={t('keys.signInHint')} onClick={() => void begin()}>
        {t('keys.signIn', { service: service.label })}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
      {outcome !== null && (
        <Notice kind={outcome.test === 'refused' || outcome.test === 'unknown' ? 'warning' : 'info'}>
          {t(`keys.kept.${outcome.kept}`)} {t(`keys.test.${outcome.test}`)} {outcome.text}
        </Notice>
      )}
    </div>
  );
}

const known: Readonly<Record<string, KnownProvider>> = knownProviders;

/** The services that create a key by a sign-in, with the page where the user can revoke it. */
export const signInServices: readonly { readonly name: string; readonly label: string; readonly keysPage: string }[] =
  Object.entries(known).flatMap(([name, { label, signIn }]) =>
    signIn === undefined ? [] : [{ name, label, keysPage: signIn.keys }],
  );
