import type { FormEvent } from 'react';
import { useState } from 'react';
import type { ToolkitConnection } from '@shared/tools/composio.ts';
import { seenName, seenPieces } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenText } from '../../ui/content/seen-text.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { useToolWork } from './use-tool-servers.ts';

interface Waiting {
  readonly toolkit: string;
  readonly link: string;
}

/**
 * The accounts that a server uses: which are connected, and links to connect others. Asks the server only on request.
 */
export function ComposioAccounts({ name }: { readonly name: string }) {
  const client = useClient();
  const work = useToolWork();
  const [accounts, setAccounts] = useState<readonly ToolkitConnection[] | null>(null);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [toolkit, setToolkit] = useState('');
  const look = async (signal: AbortSignal): Promise<void> =>
    setAccounts(await client.tools.connections({ name }, { signal }));
  const connect = async (wanted: string): Promise<void> => {
    const isDone = await work.run(async (signal) => {
      const { link } = await client.tools.connect({ name, toolkit: wanted }, { signal });
      if (link !== null) {
        setWaiting({ toolkit: wanted, link });
        await client.tools.connected({ name, toolkit: wanted }, { signal });
      }
      await look(signal);
    });
    setWaiting(null);
    if (!isDone) return;
    setToolkit('');
    announce({ kind: 'info', text: t('composio.connected', { name: seenName(wanted) }) });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void connect(toolkit.trim().toLowerCase());
  };
  return (
    <section aria-label={t('composio.accounts')} className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-sm font-semibold">{t('composio.accounts')}</h3>
        <Button size="small" disabled={work.isBusy} onClick={() => void work.run(look)}>
          {t(accounts === null ? 'composio.show' : 'composio.refresh')}
        </Button>
      </div>
      {accounts?.length === 0 && <p className="text-sm text-soft">{t('composio.none')}</p>}
      {accounts !== null && accounts.length > 0 && (
        <ul className="flex flex-col divide-y divide-line">
          {accounts.map((one) => (
            <Account key={one.toolkit} account={one} isBusy={work.isBusy} onConnect={() => void connect(one.toolkit)} />
          ))}
        </ul>
      )}
      {waiting !== null && <WaitFor waiting={waiting} onCancel={work.cancel} />}
      {work.problem !== null && <Problem text={work.problem} />}
      <form className="flex flex-wrap items-start gap-2" onSubmit={submit}>
        <InputField
          label={t('composio.service')}
          value={toolkit}
          hint={t('composio.serviceHint')}
          spellCheck={false}
          autoComplete="off"
          onText={setToolkit}
        />
        <Button type="submit" size="small" className="mt-7" disabled={toolkit.trim() === '' || work.isBusy}>
          {t('composio.connect')}
        </Button>
      </form>
    </section>
  );
}

interface AccountProps {
  readonly account: ToolkitConnection;
  readonly isBusy: boolean;
  readonly onConnect: () => void;
}

function Account({ account: { toolkit, title, state, status }, isBusy, onConnect }: AccountProps) {
  const name = seenName(title === '' ? toolkit : title);
  const isFailed = state === 'not-connected' && status !== null;
  return (
    <li className="flex flex-wrap items-center gap-2 py-1.5 text-sm" aria-label={name}>
      <span className="flex-1">
        {name} <span className="text-soft">{t(`composio.state.${state}`)}</span>
        {isFailed && <span className="text-warn"> · {seenName(status)}</span>}
      </span>
      {state === 'not-connected' && (
        <Button size="small" disabled={isBusy} aria-label={t('composio.connectOne', { name })} onClick={onConnect}>
          {t('composio.connect')}
        </Button>
      )}
    </li>
  );
}

/** Links lead out of the app, so the user opens them. */
function WaitFor({
  waiting: { toolkit, link },
  onCancel,
}: {
  readonly waiting: Waiting;
  readonly onCancel: () => void;
}) {
  return (
    <output className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-3 text-sm">
      <p>{t('composio.open', { name: seenName(toolkit) })}</p>
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <SeenText pieces={seenPieces(link)} />
        </div>
        <CopyButton text={link} label={t('composio.copy')} />
      </div>
      <Button size="small" className="w-fit" onClick={onCancel}>
        {t('composio.stop')}
      </Button>
    </output>
  );
}
