import { seenName } from '@shared/text/seen-text.ts';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { ServerDefinition, ToolServerReport } from '@shared/tools/server-definition.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { CheckField, NameField, plainText, words } from './server-fields.tsx';
import { useToolWork } from './use-tool-servers.ts';

export type Where = 'container' | 'host';

export function WhereField({ where, onWhere }: { readonly where: Where; readonly onWhere: (where: Where) => void }) {
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

export function HostsField({ hosts, onHosts }: { readonly hosts: string; readonly onHosts: (hosts: string) => void }) {
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

function definitionOf(typed: Typed, before?: ServerDefinition) {
  const { kind, url, command, where, staysHere } = typed;
  const client = before?.kind === 'http' && before.clientId !== undefined ? { clientId: before.clientId } : {};
  if (kind === 'http') return { kind, url: url.trim(), headers: words(typed.headers), staysHere, ...client } as const;
  // An argument may contain blanks, so each has a line.
  const args = typed.args.split('\n').filter((line) => line !== '');
  const hosts = where === 'host' ? [] : words(typed.hosts);
  return { kind, command: command.trim(), args, env: words(typed.env), where, hosts, staysHere } as const;
}

/** The form without a server is empty and adds one. */
function typedOf(server: EditedServer | undefined): Typed {
  if (server === undefined || server.definition.kind === 'composio') return nothing;
  const { name, definition } = server;
  const typed = { ...nothing, name, kind: definition.kind, staysHere: definition.staysHere };
  if (definition.kind === 'http') return { ...typed, url: definition.url, headers: definition.headers.join(', ') };
  const { command, args, env, where, hosts } = definition;
  return { ...typed, command, args: args.join('\n'), env: env.join(', '), where, hosts: hosts.join(', ') };
}

type EditedServer = Pick<ToolServerReport, 'name' | 'definition'>;

interface TypedServerProps {
  /** The server to change; without it, a new one is added. */
  readonly server?: EditedServer;
  readonly onDone?: () => void;
}

/** Everything that decides what is started or reached, field by field. Saving starts nothing. */
export function TypedServer({ server, onDone }: TypedServerProps) {
  const client = useClient();
  const work = useToolWork();
  const [typed, setTyped] = useState(() => typedOf(server));
  /** What looks like a secret in what would be saved, masked. */
  const [exposed, setExposed] = useState<string | null>(null);
  const set = (part: Partial<Typed>): void => {
    setTyped({ ...typed, ...part });
    setExposed(null);
  };
  const isHttp = typed.kind === 'http';
  const isWhole = typed.name.trim() !== '' && (isHttp ? typed.url : typed.command).trim() !== '';
  const submit = async (): Promise<void> => {
    const input = { name: typed.name.trim(), definition: definitionOf(typed, server?.definition) };
    if (exposed === null) {
      const found = await client.tools.exposed({ definition: input.definition }).catch(() => null);
      setExposed(found);
      if (found !== null) return;
    }
    const isSaved = await work.run((signal) =>
      server === undefined ? client.tools.add(input, { signal }) : client.tools.change(input, { signal }),
    );
    if (isSaved && server === undefined) setTyped(nothing);
    if (isSaved) onDone?.();
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit();
  };
  return (
    <form
      aria-label={server === undefined ? t('tools.form') : t('tools.editOne', { name: server.name })}
      className="flex flex-col gap-3 pt-3"
      onSubmit={onSubmit}
    >
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {server === undefined && <NameField name={typed.name} onName={(name) => set({ name })} />}
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
      {exposed !== null && (
        <Notice kind="warning">
          <p>{t('tools.exposedTyped')}</p>
          <p className="font-mono text-xs wrap-anywhere">{seenName(exposed)}</p>
          <p className="text-sm">{t('tools.exposedTypedHint')}</p>
        </Notice>
      )}
      <div className="flex gap-2">
        <Button type="submit" look={server === undefined ? 'plain' : 'primary'} disabled={!isWhole || work.isBusy}>
          {t(exposed !== null ? 'tools.exposedSave' : server === undefined ? 'tools.addButton' : 'tools.editSave')}
        </Button>
        {onDone !== undefined && <Button onClick={onDone}>{t('tools.cancel')}</Button>}
      </div>
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
