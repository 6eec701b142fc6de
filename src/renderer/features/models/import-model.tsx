import type { FormEvent } from 'react';
import { useState } from 'react';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { Select } from '../../ui/controls/select.tsx';

interface ImportModelProps {
  readonly models: readonly ModelEntry[];
  readonly onDone: () => void;
}

/** Adds the user's own model file to the list, or an adapter for a model that is here. */
export function ImportModel({ models, onDone }: ImportModelProps) {
  const client = useClient();
  const isRefused = useIsCommandRefused('models.import');
  const isWindow = useIsWindow();
  const [path, setPath] = useState('');
  const [base, setBase] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  if (isRefused) return null;
  const choose = async (): Promise<void> => {
    setProblem(null);
    try {
      const chosen = await client.host.chooseModelFile();
      if (chosen.path !== null) setPath(chosen.path);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(null);
    try {
      if (base === '') await client.models.import({ path: path.trim() });
      else await client.models.addAdapter({ path: path.trim(), model: base });
      setPath('');
      setBase('');
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <form aria-label={t('models.import')} onSubmit={(event) => void add(event)} className="flex flex-col gap-2">
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_auto]">
        <Field label={t('models.importPath')}>
          {(ids) => (
            <div className="flex gap-2">
              <input
                {...ids}
                value={path}
                spellCheck={false}
                autoComplete="off"
                placeholder={t('models.importExample')}
                onChange={(event) => setPath(event.target.value)}
                className={`${inputClass} h-8 font-mono text-xs`}
              />
              {isWindow && (
                <Button onClick={() => void choose()}>
                  <Icon name="folder" /> {t('task.choose')}
                </Button>
              )}
            </div>
          )}
        </Field>
        <Field label={t('models.adapterOf')}>
          {(ids) => (
            <Select {...ids} value={base} onChange={(event) => setBase(event.target.value)}>
              <option value="">{t('models.adapterOf.none')}</option>
              {models.filter(takesAdapters).map(({ id, label }) => (
                <option key={id} value={id}>
                  {t('models.adapterOf.model', { model: seenName(label) })}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" disabled={path.trim() === ''}>
          {t('models.import')}
        </Button>
      </div>
      <p className="text-xs text-soft">{t(base === '' ? 'models.importText' : 'models.adapterText')}</p>
      {problem !== null && <Problem text={problem} />}
    </form>
  );
}

/** Whether an adapter can be added: its engine can load one, and it does not have one yet. */
function takesAdapters({ id, state }: ModelEntry): boolean {
  return state === 'ready' && /^(?:llama-cpp|ollama)\/[^/+]/.test(id) && !id.includes('+');
}
