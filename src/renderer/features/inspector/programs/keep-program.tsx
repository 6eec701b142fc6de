import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProgramReport } from '@shared/session/program-reports.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../../lib/connection/use-host-info.ts';
import { announce } from '../../../lib/notices/announce.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { InputField } from '../../../ui/controls/field.tsx';
import { Fold } from '../../../ui/layout/fold.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';

interface KeepProgramProps {
  readonly sessionId: string;
  readonly program: ProgramReport;
}

/** Keeps a successful program under a name. Open at first if its model proposed that. */
export function KeepProgram({ sessionId, program: { toolCallId, keep } }: KeepProgramProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('ownTools.keep');
  const [name, setName] = useState(keep?.name ?? '');
  const [description, setDescription] = useState(keep?.description ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (isRefused) return null;
  const schema = keep?.input_schema;
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const asked = { sessionId, toolCallId, name: name.trim(), description: description.trim() };
      const kept = await client.ownTools.keep({ ...asked, ...(schema === undefined ? {} : { input_schema: schema }) });
      const version = kept.program?.version ?? 1;
      announce({ kind: 'info', text: t('programs.kept', { name: seenName(kept.name), version }) });
      await queries.invalidateQueries({ queryKey: ['tools'] });
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Fold label={t('programs.keep')} isOpen={keep !== null}>
      <form
        className="flex flex-col gap-2 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p className="text-sm text-soft">{t('programs.keepText')}</p>
        <InputField
          label={t('programs.keepName')}
          hint={t('programs.keepNameHint')}
          value={name}
          autoComplete="off"
          onText={setName}
        />
        <InputField label={t('programs.keepAbout')} value={description} onText={setDescription} />
        <Button
          type="submit"
          size="small"
          className="w-fit"
          disabled={isBusy || name.trim() === '' || description.trim() === ''}
        >
          {t('programs.keep')}
        </Button>
        {problem !== null && <Problem text={problem} />}
      </form>
    </Fold>
  );
}
