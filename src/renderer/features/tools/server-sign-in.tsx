import { useState } from 'react';
import type { SignInReport } from '@shared/tools/server-definition.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { WaitingSignIn } from '../../ui/sign-in/sign-in-waiting.tsx';
import { SignInWaiting } from '../../ui/sign-in/sign-in-waiting.tsx';
import type { Work } from '../../lib/connection/use-work.ts';
import type { ServerProps } from './use-tool-servers.ts';
import { useToolWork } from './use-tool-servers.ts';

interface SignInProps extends ServerProps {
  readonly signIn: SignInReport;
}

/** The state of the sign-in to a server, and the steps through it. Only the user's click starts one. */
export function ServerSignIn({ server: { name }, signIn, isRefused }: SignInProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const work = useToolWork();
  const [open, setOpen] = useState<WaitingSignIn | null>(null);
  const openBrowser = (): Promise<void> => client.host.openSignIn({ kind: 'server', name }).catch(() => undefined);
  const begin = async (byCode: boolean): Promise<void> => {
    const isDone = await work.run(async (signal) => {
      for await (const progress of await client.tools.signIn({ name, byCode }, { signal })) {
        if (progress.type === 'done') continue;
        setOpen({ ...progress, by: hostOf(progress.issuer) });
        // If the browser does not open, the user can copy the address. An address with a code can be opened on any
        // device.
        if (isWindow && progress.code === null) await openBrowser();
      }
    });
    setOpen(null);
    if (isDone) announce({ kind: 'info', text: t('tools.signIn.done', { name: seenName(name) }) });
  };
  const finish = (address: string): Promise<void> => client.tools.finishSignIn({ name, address });
  if (work.isBusy)
    return (
      <SignInWaiting open={open} openBrowser={isWindow ? openBrowser : null} finish={finish} onCancel={work.cancel} />
    );
  return (
    <>
      <Standing name={name} signIn={signIn} begin={isRefused ? null : (byCode) => void begin(byCode)} work={work} />
      {work.problem !== null && <Problem text={work.problem} />}
    </>
  );
}

interface StandingProps {
  readonly name: string;
  readonly signIn: SignInReport;
  /** Null: nobody can sign in from here. */
  readonly begin: ((byCode: boolean) => void) | null;
  readonly work: Work;
}

function Standing({ name, signIn, begin, work }: StandingProps) {
  const { isSignedIn, isNeeded, isWaiting, issuer, scopes, ended, wanted } = signIn;
  const rights = scopes.length === 0 ? 'tools.signIn.in' : 'tools.signIn.inWith';
  if (isWaiting) return <Notice kind="info">{t('tools.signIn.awaits')}</Notice>;
  if (isNeeded || wanted !== null) {
    const text = isNeeded
      ? ended === null
        ? t('tools.signIn.needed')
        : t('tools.signIn.ended', { why: seenWords(ended) })
      : t('tools.signIn.wanted', { scopes: seenName(wanted ?? '') });
    return (
      <Notice kind="warning">
        <span className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 flex-1 basis-56 wrap-anywhere">{text}</span>
          {begin !== null && (
            <span className="flex flex-wrap gap-2">
              <Button size="small" look="primary" onClick={() => begin(false)}>
                {t(isNeeded ? 'tools.signIn' : 'tools.signIn.grant')}
              </Button>
              <Button size="small" title={t('tools.signIn.byCodeHint')} onClick={() => begin(true)}>
                {t('tools.signIn.byCode')}
              </Button>
            </span>
          )}
        </span>
      </Notice>
    );
  }
  if (!isSignedIn || issuer === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <span className="min-w-0 flex-1 basis-56 wrap-anywhere">
        {t(rights, { issuer: seenName(hostOf(issuer)), scopes: seenName(scopes.join(' ')) })}
      </span>
      {begin !== null && <SignedIn name={name} begin={() => begin(false)} work={work} />}
    </p>
  );
}

function SignedIn({ name, begin, work }: { readonly name: string; readonly begin: () => void; readonly work: Work }) {
  const client = useClient();
  const signOut = async (signal: AbortSignal): Promise<void> => {
    const { revocation } = await client.tools.signOut({ name }, { signal });
    const isOver = revocation === 'done' || revocation === null;
    const text = isOver ? t('tools.signOut.done', { name: seenName(name) }) : t('tools.signOut.here');
    announce({ kind: 'info', text });
  };
  return (
    <>
      <Button size="small" look="quiet" onClick={begin}>
        {t('tools.signIn.again')}
      </Button>
      <Button size="small" look="quiet" onClick={() => void work.run(signOut)}>
        {t('tools.signOut')}
      </Button>
    </>
  );
}

/** The host of an address, which shows whose it is. */
function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}
