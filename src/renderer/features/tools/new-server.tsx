import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenWords } from '@shared/text/seen-text.ts';
import type { ServerImport } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ComposioForm } from './composio-form.tsx';
import { KnownServers } from './known-servers.tsx';
import { words } from './server-fields.tsx';
import { HostsField, TypedServer, WhereField, type Where } from './typed-server.tsx';
import { goOnAtServer, useToolWork } from './use-tool-servers.ts';

/** Adds a server from pasted text (a command line, an address, a link, JSON), from the list, or with a form. Adding starts nothing. */
export function NewServer() {
  return (
    <div className="flex flex-col gap-4">
      <PastedServer />
      <Fold label={t('tools.known')}>
        <KnownServers />
      </Fold>
      <Fold label={t('tools.byHand')}>
        <TypedServer />
      </Fold>
      <Fold label={t('composio.title')}>
        <ComposioForm />
      </Fold>
    </div>
  );
}

const nothing: ServerImport = { added: [], skipped: [], unkept: [], unset: {}, exposed: [] };

function PastedServer() {
  const client = useClient();
  const work = useToolWork();
  const [text, setText] = useState('');
  const [where, setWhere] = useState<Where>('container');
  const [hosts, setHosts] = useState('');
  const [outcome, setOutcome] = useState<ServerImport>(nothing);
  const add = (mayExpose: boolean): Promise<boolean> =>
    work.run(async (signal) => {
      const given = { text, where, hosts: where === 'host' ? [] : words(hosts), mayExpose };
      const found = await client.tools.importText(given, { signal });
      setOutcome(found);
      const [first] = found.added;
      if (first !== undefined) goOnAtServer(first, 'start');
      // Text that was not accepted stays in the field to be corrected.
      if (found.skipped.length === 0 && found.exposed.length === 0) setText('');
    });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await add(false);
  };
  return (
    <form aria-label={t('tools.add')} className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
      <Field label={t('tools.paste')} hint={t('tools.pasteHint')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            value={text}
            spellCheck={false}
            className={`${inputClass} font-mono text-xs`}
            onChange={({ target }) => {
              setText(target.value);
              // A yes is for the text that was shown.
              setOutcome(nothing);
            }}
          />
        )}
      </Field>
      <Fold label={t('tools.programs')}>
        <div className="flex flex-col gap-3 pt-3">
          <WhereField where={where} onWhere={setWhere} />
          {where === 'container' && <HostsField hosts={hosts} onHosts={setHosts} />}
        </div>
      </Fold>
      <Button type="submit" look="primary" className="w-fit" disabled={text.trim() === '' || work.isBusy}>
        {t('tools.addButton')}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
      {outcome.added.length > 0 && <Notice kind="info">{t('tools.added', { list: outcome.added.join(', ') })}</Notice>}
      {outcome.exposed.length > 0 && (
        <>
          <Reasons title={t('tools.exposed')} reasons={outcome.exposed} />
          <p className="text-sm text-soft">{t('tools.exposedHint')}</p>
          <Button className="w-fit" disabled={work.isBusy} onClick={() => void add(true)}>
            {t('tools.exposedAdd')}
          </Button>
        </>
      )}
      <Reasons title={t('tools.skipped')} reasons={outcome.skipped} />
      <Reasons title={t('tools.unkept')} reasons={outcome.unkept} />
    </form>
  );
}

function Reasons({ title, reasons }: { readonly title: string; readonly reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <Notice kind="warning">
      <p>{title}</p>
      <ul className="list-disc pl-4">
        {reasons.map((one) => (
          <li key={one}>{seenWords(one)}</li>
        ))}
      </ul>
    </Notice>
  );
}
