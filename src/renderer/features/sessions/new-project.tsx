import { useState } from 'react';
import { longestProjectName } from '@shared/projects/project-keys.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** The button that makes a project, and the dialog that asks for its name. */
export function NewProject({ onMade }: { readonly onMade: (project: string) => void }) {
  const client = useClient();
  const isRefused = useIsCommandRefused('projects.create');
  const [name, setName] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    setProblem(null);
    try {
      const { key } = await client.projects.create({ name: name ?? '' });
      setName(null);
      onMade(key);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  if (isRefused) return null;
  return (
    <>
      <Button
        look="quiet"
        size="icon"
        className="size-7 text-soft"
        aria-label={t('project.new')}
        title={t('project.new')}
        onClick={() => setName('')}
      >
        <Icon name="plus" className="size-3.5" />
      </Button>
      {name !== null && (
        <DialogFrame title={t('project.new')} about={t('project.new.about')} onClose={() => setName(null)}>
          <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              void make();
            }}
          >
            <InputField
              isProse
              label={t('project.name')}
              maxLength={longestProjectName}
              value={name}
              onText={setName}
            />
            {problem !== null && <Problem text={problem} />}
            <div className="flex justify-end gap-2">
              <Button onClick={() => setName(null)}>{t('move.cancel')}</Button>
              <Button type="submit" look="primary" disabled={name.trim() === ''}>
                {t('project.new.make')}
              </Button>
            </div>
          </form>
        </DialogFrame>
      )}
    </>
  );
}
