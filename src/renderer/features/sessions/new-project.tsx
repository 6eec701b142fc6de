import { useState } from 'react';
import { longestProjectName } from '@shared/projects/project-keys.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InputField } from '../../ui/controls/field.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface NewProjectProps {
  readonly onMade: (project: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of a new project. */
export default function NewProject({ onMade, onClose }: NewProjectProps) {
  const client = useClient();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    setProblem(null);
    try {
      const { key } = await client.projects.create({ name });
      onClose();
      onMade(key);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <DialogFrame title={t('project.new')} about={t('project.new.about')} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <InputField isProse label={t('project.name')} maxLength={longestProjectName} value={name} onText={setName} />
        {problem !== null && <Problem text={problem} />}
        <div className="flex justify-end gap-2">
          <Button size="small" onClick={onClose}>
            {t('move.cancel')}
          </Button>
          <Button size="small" type="submit" look="primary" disabled={name.trim() === ''}>
            {t('project.new.make')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
