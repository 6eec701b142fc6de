import type { FormEvent } from 'react';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** Takes a model file of the user's own into the list; the file stays where it is. */
export function ImportModel({ onDone }: { readonly onDone: () => void }) {
  const client = useClient();
  const isRefused = useIsCommandRefused('models.import');
  const [path, setPath] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  if (isRefused) return null;
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(null);
    try {
      await client.models.import({ path: path.trim() });
      setPath('');
      onDone();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <form aria-label={t('models.import')} onSubmit={(event) => void add(event)} className="flex flex-col gap-2">
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_auto]">
        <Field label={t('models.importPath')}>
          {(ids) => (
            <input
              {...ids}
              value={path}
              spellCheck={false}
              autoComplete="off"
              placeholder={t('models.importExample')}
              onChange={(event) => setPath(event.target.value)}
              className={`${inputClass} font-mono`}
            />
          )}
        </Field>
        <Button type="submit" disabled={path.trim() === ''}>
          {t('models.import')}
        </Button>
      </div>
      <p className="text-xs text-soft">{t('models.importText')}</p>
      {problem !== null && <Problem text={problem} />}
    </form>
  );
}
