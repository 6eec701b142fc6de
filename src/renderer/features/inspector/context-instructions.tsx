import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstructionView } from '@shared/session-state.ts';
import { useClient } from '../../lib/core-context.ts';
import { failureText } from '../../lib/failure-text.ts';
import { t } from '../../lib/texts.ts';
import { useIsAnswerable } from '../../lib/use-is-answerable.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SeenChange } from '../../ui/seen-change.tsx';

interface ContextInstructionsProps {
  readonly projectPath: string | null;
  readonly instructions: InstructionView | null;
}

/** Whether the project's instructions were part of it, and the way to say yes to them or to take that back. */
export function ContextInstructions({ projectPath, instructions }: ContextInstructionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (instructions === null) return null;
  const { path, use, reason } = instructions;
  return (
    <Section title={t('context.instructions')}>
      <p className="flex justify-between gap-3 text-sm">
        <span className="font-mono text-xs wrap-anywhere">{path}</span>
        <span className={`text-xs font-medium ${use === 'used' ? 'text-good' : 'text-warn'}`}>
          {t(`context.instructions.${use}`)}
        </span>
      </p>
      <p className="text-xs text-soft wrap-anywhere">{reason}</p>
      {projectPath !== null && (
        <Button size="small" className="w-fit" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('context.instructions.show')}
        </Button>
      )}
      {isOpen && projectPath !== null && <FileNow projectPath={projectPath} path={path} />}
    </Section>
  );
}

/** The file as it lies there now: what holds from the next message on. */
function FileNow({ projectPath, path }: { readonly projectPath: string; readonly path: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const isAnswerable = useIsAnswerable();
  const [problem, setProblem] = useState<string | null>(null);
  const queryKey = ['instructions', projectPath];
  const files = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.projects.instructions({ projectPath }, { signal }),
    staleTime: 0,
  });
  const file = files.data?.find((one) => one.path === path);
  if (files.error !== null) return <Notice kind="error">{failureText(files.error)}</Notice>;
  if (files.data === undefined) return null;
  if (file === undefined || file.sha256 === null || file.text === null)
    return <p className="text-xs text-soft">{file?.problem ?? t('context.instructions.gone')}</p>;
  const { sha256, state, text, diff } = file;
  const say = async (work: () => Promise<unknown>): Promise<void> => {
    if (!isAnswerable) return;
    setProblem(null);
    await work().catch((error: unknown) => setProblem(failureText(error)));
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <div className="flex flex-col gap-2">
      <SeenChange text={text} diff={diff} />
      {problem !== null && <Notice kind="error">{problem}</Notice>}
      {state === 'approved' ? (
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
