import type { FormEvent } from 'react';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { CheckField, NameField, plainText, words } from './server-fields.tsx';
import { useToolWork } from './use-tool-servers.ts';
import { Select } from '../../ui/controls/select.tsx';

const nothing = {
  name: 'composio',
  key: '',
  user: 'default',
  toolkits: '',
  mode: 'native' as 'native' | 'mcp',
  directTools: false,
  workbench: false,
};
type Typed = typeof nothing;

/** Adds Composio, which is a server of its own kind. Adding it stores the key and sends nothing. */
export function ComposioForm() {
  const client = useClient();
  const work = useToolWork();
  const [typed, setTyped] = useState<Typed>(nothing);
  const set = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const { name, key, user, mode, directTools, workbench } = typed;
    const toolkits = words(typed.toolkits.toLowerCase());
    const parts = { user: user.trim(), mode, toolkits, directTools, workbench } as const;
    const isAdded = await work.run(async (signal) => {
      const definition = { kind: 'composio', staysHere: false, ...parts } as const;
      const { secrets } = await client.tools.add({ name: name.trim(), definition }, { signal });
      const [variable = ''] = secrets;
      await client.tools.secret({ name: name.trim(), variable, value: key.trim() }, { signal });
    });
    if (isAdded) setTyped(nothing);
  };
  return (
    <form aria-label={t('composio.form')} className="flex flex-col gap-3 pt-3" onSubmit={(event) => void submit(event)}>
      <p className="text-sm text-soft">{t('composio.about')}</p>
      <Words typed={typed} onTyped={set} />
      <Choices typed={typed} onTyped={set} />
      <Button type="submit" className="w-fit" disabled={typed.key.trim() === '' || work.isBusy}>
        {t('composio.add')}
      </Button>
      {work.problem !== null && <Problem text={work.problem} />}
    </form>
  );
}

interface FieldsProps {
  readonly typed: Typed;
  readonly onTyped: (part: Partial<Typed>) => void;
}

function Words({ typed, onTyped }: FieldsProps) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <InputField
        label={t('composio.key')}
        hint={t('tools.keyHint')}
        type="password"
        value={typed.key}
        autoComplete="off"
        required
        onText={(key) => onTyped({ key })}
      />
      <NameField name={typed.name} onName={(name) => onTyped({ name })} />
      <InputField
        label={t('composio.toolkits')}
        hint={t('composio.toolkitsHint')}
        value={typed.toolkits}
        {...plainText}
        onText={(toolkits) => onTyped({ toolkits })}
      />
      <InputField
        label={t('composio.user')}
        hint={t('composio.userHint')}
        value={typed.user}
        required
        {...plainText}
        onText={(user) => onTyped({ user })}
      />
    </div>
  );
}

function Choices({ typed, onTyped }: FieldsProps) {
  return (
    <>
      <Field label={t('composio.mode')}>
        {(ids) => (
          <Select
            {...ids}
            value={typed.mode}
            className="w-fit"
            onChange={({ target }) => onTyped({ mode: target.value === 'mcp' ? 'mcp' : 'native' })}
          >
            <option value="native">{t('composio.mode.native')}</option>
            <option value="mcp">{t('composio.mode.mcp')}</option>
          </Select>
        )}
      </Field>
      <CheckField
        label={t('composio.direct')}
        hint={t('composio.directHint')}
        isOn={typed.directTools}
        onChange={(directTools) => onTyped({ directTools })}
      />
      <CheckField
        label={t('composio.workbench')}
        hint={t('composio.workbenchHint')}
        isOn={typed.workbench}
        onChange={(workbench) => onTyped({ workbench })}
      />
    </>
  );
}
