import type { FormEvent } from 'react';
import { useState } from 'react';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import type { ProjectHandle } from './use-project.ts';

/** Environment variables for commands. Never holds the value of a secret. */
export function ProjectVariables({ project }: { readonly project: ProjectHandle }) {
  const { settings, isRefused, change } = project;
  const rows = [
    ...Object.entries(settings.variables).map(([name, value]) => ({ name, text: value, isSecret: false })),
    ...settings.secrets.map(({ name, isSet }) => ({
      name,
      text: t(isSet ? 'project.variables.isSet' : 'project.variables.isNotSet'),
      isSecret: true,
    })),
  ].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return (
    <Group title={t('project.variables')}>
      <p className="text-sm text-soft">{t('project.variables.text')}</p>
      {rows.length === 0 && <p className="text-sm text-soft">{t('project.variables.none')}</p>}
      <ul className="flex flex-col gap-1.5 text-sm empty:hidden">
        {rows.map(({ name, text, isSecret }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3" data-variable={name}>
            <span className="font-mono text-xs font-semibold wrap-anywhere">{seenName(name)}</span>
            <span className={`min-w-0 flex-1 text-xs wrap-anywhere ${isSecret ? 'text-soft' : 'font-mono'}`}>
              {isSecret && <span aria-hidden="true">•••••• </span>}
              {seenWords(text)}
            </span>
            {!isRefused && (
              <Button
                size="small"
                look="quiet"
                aria-label={t('project.variables.removeOne', { name })}
                onClick={() => void change({ type: 'no-variable', name })}
              >
                {t('project.variables.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!isRefused && <NewVariable project={project} />}
    </Group>
  );
}

function NewVariable({ project: { change } }: { readonly project: ProjectHandle }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [isSecret, setIsSecret] = useState(false);
  const set = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const named = name.trim();
    if (!(await change(isSecret ? { type: 'secret', name: named } : { type: 'variable', name: named, value }))) return;
    setName('');
    setValue('');
    setIsSecret(false);
  };
  return (
    <form
      aria-label={t('project.variables')}
      onSubmit={(event) => void set(event)}
      className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto_auto]"
    >
      <InputField
        label={t('project.variables.name')}
        value={name}
        spellCheck={false}
        autoComplete="off"
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        onText={setName}
      />
      <InputField
        label={t('project.variables.value')}
        value={isSecret ? '' : value}
        disabled={isSecret}
        placeholder={isSecret ? t('project.variables.secretValue') : ''}
        spellCheck={false}
        autoComplete="off"
        onText={setValue}
      />
      <label className="flex h-8 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={isSecret}
          onChange={(event) => setIsSecret(event.target.checked)}
          className="size-4 accent-ink"
        />
        {t('project.variables.isSecret')}
      </label>
      <Button type="submit" disabled={name.trim() === ''}>
        {t('project.variables.add')}
      </Button>
    </form>
  );
}
