import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { InputField } from '../controls/field.tsx';
import { Fold } from '../layout/fold.tsx';
import { Notice } from '../notices/notice.tsx';
import { Problem } from '../notices/problem.tsx';

/** A sign-in that waits for the user. */
export interface WaitingSignIn {
  readonly url: string;
  /** The host of the service that signs the user in. */
  readonly by: string;
  readonly scopes: readonly string[];
  /** The code to type at the address; null: the browser returns what is needed. */
  readonly code: string | null;
}

interface SignInWaitingProps {
  /** Null: the service has not answered yet. */
  readonly open: WaitingSignIn | null;
  /** Null: no browser can be opened from here. */
  readonly openBrowser: (() => Promise<void>) | null;
  /** Takes the address at which a browser on another machine ended. */
  readonly finish: (address: string) => Promise<void>;
  readonly onCancel: () => void;
}

/** Help while a sign-in waits: the address, a button for the browser, a way from another machine, and Cancel. */
export function SignInWaiting({ open, openBrowser, finish, onCancel }: SignInWaitingProps) {
  return (
    <Notice kind="info">
      <div className="flex flex-col gap-2">
        {open === null ? <p>{t('tools.signIn.starting')}</p> : <Address open={open} />}
        <span className="flex flex-wrap items-center gap-2">
          {open !== null && openBrowser !== null && (
            <Button size="small" onClick={() => void openBrowser()}>
              {t(open.code === null ? 'tools.signIn.open' : 'tools.signIn.openHere')}
            </Button>
          )}
          <Button size="small" onClick={onCancel}>
            {t('tools.cancel')}
          </Button>
        </span>
        {open?.code === null && (
          <Fold label={t('tools.signIn.elsewhere')} className="text-xs">
            <PastedAddress finish={finish} />
          </Fold>
        )}
      </div>
    </Notice>
  );
}

function Address({ open: { url, by, scopes, code } }: { readonly open: WaitingSignIn }) {
  return (
    <>
      <p className="wrap-anywhere">
        {t(code === null ? 'tools.signIn.waiting' : 'tools.signIn.codeAt', { issuer: seenName(by) })}
      </p>
      {code !== null && (
        <p className="flex items-center gap-1">
          <span className="font-mono text-xl font-semibold tracking-widest select-all">{seenName(code)}</span>
          <CopyButton text={code} label={t('tools.signIn.copyCode')} />
        </p>
      )}
      {scopes.length > 0 && (
        <p className="text-soft wrap-anywhere">{t('tools.signIn.asks', { scopes: seenName(scopes.join(' ')) })}</p>
      )}
      <p className="flex items-start gap-1">
        <span className="line-clamp-2 font-mono text-xs text-soft wrap-anywhere">{seenName(url)}</span>
        <CopyButton text={url} label={t('tools.signIn.copy')} />
      </p>
    </>
  );
}

function PastedAddress({ finish }: Pick<SignInWaitingProps, 'finish'>) {
  const [address, setAddress] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await finish(address);
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit();
  };
  return (
    <form className="flex flex-col gap-2 pt-2" onSubmit={onSubmit}>
      <InputField
        label={t('tools.signIn.paste')}
        hint={t('tools.signIn.pasteHint')}
        value={address}
        spellCheck={false}
        autoComplete="off"
        onText={setAddress}
      />
      <Button type="submit" size="small" className="w-fit" disabled={address.trim() === '' || isBusy}>
        {t('tools.signIn.finish')}
      </Button>
      {problem !== null && <Problem text={problem} />}
    </form>
  );
}
