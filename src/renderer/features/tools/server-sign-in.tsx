import type { FormEvent } from 'react';
import { useState } from 'react';
import type { SignInProgress, SignInReport } from '@shared/tools/server-definition.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { announce } from '../../lib/notices/announce.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ServerProps, Work } from './use-tool-servers.ts';
import { useToolWork } from './use-tool-servers.ts';

type Open = Extract<SignInProgress, { type: 'open' }>;

interface SignInProps extends ServerProps {
  readonly signIn: SignInReport;
}

/** How it stands with the sign-in to a server, and the way through it. Only the person's click begins one. */
export function ServerSignIn({ server: { name }, signIn, isRefused }: SignInProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const work = useToolWork();
  const [open, setOpen] = useState<Open | null>(null);
  const begin = async (byCode: boolean): Promise<void> => {
    const isDone = await work.run(async (signal) => {
      for await (const progress of await client.tools.signIn({ name, byCode }, { signal })) {
        if (progress.type === 'done') continue;
        setOpen(progress);
        // Where it does not open, the address is there to be copied. One for a code is opened on any device.
        if (isWindow && progress.code === null) await client.host.openSignIn({ name }).catch(() => undefined);
      }
    });
    setOpen(null);
    if (isDone) announce({ kind: 'info', text: t('tools.signIn.done', { name: seenName(name) }) });
  };
  if (work.isBusy) return <Waiting name={name} open={open} work={work} />;
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

interface WaitingProps {
  readonly name: string;
  readonly open: Open | null;
  readonly work: Work;
}

function Waiting({ name, open, work }: WaitingProps) {
  const client = useClient();
  const isWindow = useIsWindow();
  const scopes = open?.scopes ?? [];
  return (
    <Notice kind="info">
      <div className="flex flex-col gap-2">
        <p className="wrap-anywhere">
          {open === null
            ? t('tools.signIn.starting')
            : t(open.code === null ? 'tools.signIn.waiting' : 'tools.signIn.codeAt', {
                issuer: seenName(hostOf(open.issuer)),
              })}
        </p>
        {open !== null && open.code !== null && (
          <p className="flex items-center gap-1">
            <span className="font-mono text-xl font-semibold tracking-widest select-all">{seenName(open.code)}</span>
            <CopyButton text={open.code} label={t('tools.signIn.copyCode')} />
          </p>
        )}
        {scopes.length > 0 && (
          <p className="text-soft wrap-anywhere">{t('tools.signIn.asks', { scopes: seenName(scopes.join(' ')) })}</p>
        )}
        {open !== null && (
          <p className="flex items-start gap-1">
            <span className="line-clamp-2 font-mono text-xs text-soft wrap-anywhere">{seenName(open.url)}</span>
            <CopyButton text={open.url} label={t('tools.signIn.copy')} />
          </p>
        )}
        <span className="flex flex-wrap items-center gap-2">
          {open !== null && isWindow && (
            <Button size="small" onClick={() => void client.host.openSignIn({ name }).catch(() => undefined)}>
              {t(open.code === null ? 'tools.signIn.open' : 'tools.signIn.openHere')}
            </Button>
          )}
          <Button size="small" onClick={work.cancel}>
            {t('tools.cancel')}
          </Button>
        </span>
        {open?.code === null && (
          <Fold label={t('tools.signIn.elsewhere')} className="text-xs">
            <PastedAddress name={name} />
          </Fold>
        )}
      </div>
    </Notice>
  );
}

function PastedAddress({ name }: { readonly name: string }) {
  const client = useClient();
  const work = useToolWork();
  const [address, setAddress] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void work.run(() => client.tools.finishSignIn({ name, address }));
  };
  return (
    <form className="flex flex-col gap-2 pt-2" onSubmit={submit}>
      <InputField
        label={t('tools.signIn.paste')}
        hint={t('tools.signIn.pasteHint')}
        value={address}
        spellCheck={false}
        autoComplete="off"
        onText={setAddress}
      />
      <Button type="submit" size="small" className="w-fit" disabled={address.trim() === '' || work.isBusy}>
        {t('tools.signIn.finish')}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
    </form>
  );
}

/** The part of an address that says whose it is. */
function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}
