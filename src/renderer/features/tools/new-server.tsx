import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenWords } from '@shared/text/seen-text.ts';
import type { ServerImport } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ComposioForm } from './composio-form.tsx';
import { CheckField, NameField, plainText, words } from './server-fields.tsx';
import { useToolWork } from './use-tool-servers.ts';
import { Select } from '../../ui/controls/select.tsx';

type Where = 'container' | 'host';

/** Adds a server from pasted text (an address, a link, JSON) or with a form. Adding starts nothing. */
export function NewServer() {
  return (
    <div className="flex flex-col gap-4">
      <PastedServer />
      <Fold label={t('tools.byHand')}>
        <ServerForm />
      </Fold>
      <Fold label={t('composio.title')}>
        <ComposioForm />
      </Fold>
    </div>
  );
}

function PastedServer() {
  const client = useClient();
  const work = useToolWork();
  const [text, setText] = useState('');
  const [where, setWhere] = useState<Where>('container');
  const [hosts, setHosts] = useState('');
  const [outcome, setOutcome] = useState<ServerImport>({ added: [], skipped: [], unkept: [] });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await work.run(async (signal) => {
      const found = await client.tools.importText(
        { text, where, hosts: where === 'host' ? [] : words(hosts) },
        { signal },
      );
      setOutcome(found);
      // Text that was not accepted stays in the field to be corrected.
      if (found.skipped.length === 0) setText('');
    });
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
            onChange={({ target }) => setText(target.value)}
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

function WhereField({ where, onWhere }: { readonly where: Where; readonly onWhere: (where: Where) => void }) {
  return (
    <Field label={t('tools.where')} hint={t(`tools.where.hint.${where}`)}>
      {(ids) => (
        <Select
          {...ids}
          value={where}
          className="w-fit"
          onChange={({ target }) => onWhere(target.value === 'host' ? 'host' : 'container')}
        >
          <option value="container">{t('tools.where.container')}</option>
          <option value="host">{t('tools.where.host')}</option>
        </Select>
      )}
    </Field>
  );
}

function HostsField({ hosts, onHosts }: { readonly hosts: string; readonly onHosts: (hosts: string) => void }) {
  return (
    <InputField label={t('tools.hosts')} hint={t('tools.hostsHint')} value={hosts} {...plainText} onText={onHosts} />
  );
}

interface Typed {
  readonly name: string;
  readonly kind: 'http' | 'stdio';
  readonly url: string;
  readonly headers: string;
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly where: Where;
  readonly hosts: string;
  readonly staysHere: boolean;
}

const nothing: Typed = {
  name: '',
  kind: 'http',
  url: '',
  headers: '',
  command: '',
  args: '',
  env: '',
  where: 'container',
  hosts: '',
  staysHere: false,
};

function definitionOf(typed: Typed) {
  const { kind, url, command, where, staysHere } = typed;
  if (kind === 'http') return { kind, url: url.trim(), headers: words(typed.headers), staysHere } as const;
  // An argument may contain blanks, so each has a line.
  const args = typed.args.split('\n').filter((line) => line !== '');
  const hosts = where === 'host' ? [] : words(typed.hosts);
  return { kind, command: command.trim(), args, env: words(typed.env), where, hosts, staysHere } as const;
}

function ServerForm() {
  const client = useClient();
  const work = useToolWork();
  const [typed, setTyped] = useState(nothing);
  const set = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  const isHttp = typed.kind === 'http';
  const isWhole = typed.name.trim() !== '' && (isHttp ? typed.url : typed.command).trim() !== '';
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const input = { name: typed.name.trim(), definition: definitionOf(typed) };
    const isAdded = await work.run((signal) => client.tools.add(input, { signal }));
    if (isAdded) setTyped(nothing);
  };
  return (
    <form aria-label={t('tools.form')} className="flex flex-col gap-3 pt-3" onSubmit={(event) => void submit(event)}>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <NameField name={typed.name} onName={(name) => set({ name })} />
        <Field label={t('tools.kind')}>
          {(ids) => (
            <Select
              {...ids}
              value={typed.kind}

              onChange={({ target }) => set({ kind: target.value === 'stdio' ? 'stdio' : 'http' })}
            >
              <option value="http">{t('tools.kind.http')}</option>
              <option value="stdio">{t('tools.kind.stdio')}</option>
            </Select>
          )}
        </Field>
      </div>
      {isHttp ? <AddressFields typed={typed} onTyped={set} /> : <ProgramFields typed={typed} onTyped={set} />}
      <CheckField
        label={t('tools.staysHere')}
        hint={t('tools.staysHereHint')}
        isOn={typed.staysHere}
        onChange={(staysHere) => set({ staysHere })}
      />
      <Button type="submit" className="w-fit" disabled={!isWhole || work.isBusy}>
        {t('tools.addButton')}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
    </form>
  );
}

interface FieldsProps {
  readonly typed: Typed;
  readonly onTyped: (part: Partial<Typed>) => void;
}

function AddressFields({ typed, onTyped }: FieldsProps) {
  return (
    <>
      <InputField
        label={t('tools.url')}
        type="url"
        value={typed.url}
        required
        placeholder={t('tools.urlExample')}
        {...plainText}
        onText={(url) => onTyped({ url })}
      />
      <InputField
        label={t('tools.headers')}
        hint={t('tools.headersHint')}
        value={typed.headers}
        {...plainText}
        onText={(headers) => onTyped({ headers })}
      />
    </>
  );
}

function ProgramFields({ typed, onTyped }: FieldsProps) {
  return (
    <>
      <InputField
        label={t('tools.command')}
        value={typed.command}
        required
        {...plainText}
        onText={(command) => onTyped({ command })}
      />
      <Field label={t('tools.args')} hint={t('tools.argsHint')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            value={typed.args}
            spellCheck={false}
            className={`${inputClass} font-mono text-xs`}
            onChange={({ target }) => onTyped({ args: target.value })}
          />
        )}
      </Field>
      <InputField
        label={t('tools.env')}
        hint={t('tools.envHint')}
        value={typed.env}
        {...plainText}
        onText={(env) => onTyped({ env })}
      />
      <WhereField where={typed.where} onWhere={(where) => onTyped({ where })} />
      {typed.where === 'container' && <HostsField hosts={typed.hosts} onHosts={(hosts) => onTyped({ hosts })} />}
    </>
  );
}
