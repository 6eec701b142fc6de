import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useIsAnswerable } from '../../lib/input/use-is-answerable.ts';
import { Button } from '../controls/button.tsx';
import { Problem } from '../notices/problem.tsx';
import { SeenChange } from '../content/seen-change.tsx';

interface InstructionFileNowProps {
  readonly projectPath: string;
  readonly path: string;
  /** Called after the user approved it or withdrew that. */
  readonly onSaid?: () => void;
}

/** The file as it is now, which applies from the next message on. */
export function InstructionFileNow({ projectPath, path, onSaid }: InstructionFileNowProps) {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('projects.approveInstructions');
  const isAnswerable = useIsAnswerable();
  const [problem, setProblem] = useState<string | null>(null);
  const queryKey = ['instructions', projectPath];
  const files = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.projects.instructions({ projectPath }, { signal }),
    staleTime: 0,
  });
  const file = files.data?.find((one) => one.path === path);
  if (files.error !== null) return <Problem text={failureText(files.error)} onRetry={files.refetch} />;
  if (files.data === undefined) return null;
  if (file === undefined || file.sha256 === null || file.text === null)
    return <p className="text-sm text-soft">{file?.problem ?? t('context.instructions.gone')}</p>;
  const { sha256, state, text, diff } = file;
  const say = async (work: () => Promise<unknown>): Promise<void> => {
    if (!isAnswerable) return;
    setProblem(null);
    await work().catch((error: unknown) => setProblem(failureText(error)));
    await queries.invalidateQueries({ queryKey });
    onSaid?.();
  };
  return (
    <div className="flex flex-col gap-2">
      <SeenChange text={text} diff={diff} />
      {problem !== null && <Problem text={problem} />}
      {isRefused ? null : state === 'approved' ? (
        <Button
          size="small"
          className="w-fit"
          aria-disabled={!isAnswerable}
          onClick={() => void say(() => client.projects.forgetInstructions({ projectPath, path }))}
        >
          {t('context.instructions.forget')}
        </Button>
      ) : (
        <Button
          size="small"
          className="w-fit"
          aria-disabled={!isAnswerable}
          onClick={() => void say(() => client.projects.approveInstructions({ projectPath, path, sha256 }))}
        >
          {t('context.instructions.approve')}
        </Button>
      )}
    </div>
  );
}
