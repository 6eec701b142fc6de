import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstructionFile } from '@shared/safety/instruction-files.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { InstructionFileNow } from '../../ui/project/instruction-file.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';

/** The project's instruction files for agents. No model sees one before the user has approved its bytes. */
export function ProjectInstructions({ projectPath }: { readonly projectPath: string }) {
  const client = useClient();
  const files = useQuery({
    queryKey: ['instructions', projectPath],
    queryFn: ({ signal }) => client.projects.instructions({ projectPath }, { signal }),
    staleTime: 0,
  });
  // Skills have a part of their own.
  const shown = files.data?.filter(({ path }) => !path.endsWith('/SKILL.md'));
  return (
    <Group title={t('project.instructions')}>
      {files.error !== null && <Notice kind="warning">{failureText(files.error)}</Notice>}
      {shown !== undefined && (
        <p className="text-sm text-soft">
          {t(shown.length === 0 ? 'project.instructions.none' : 'project.instructions.text')}
        </p>
      )}
      <ul className="flex flex-col gap-2 text-sm empty:hidden">
        {shown?.map((file) => (
          <Row key={file.path} file={file} projectPath={projectPath} />
        ))}
      </ul>
    </Group>
  );
}

const looks = { approved: 'text-good', new: 'text-soft', changed: 'text-warn', unfit: 'text-bad' } as const;

function Row({ file, projectPath }: { readonly file: InstructionFile; readonly projectPath: string }) {
  const { path, sizeBytes, state, problem } = file;
  const [isOpen, setIsOpen] = useState(false);
  const isRefused = useIsCommandRefused('projects.approveInstructions');
  return (
    <li className="flex flex-col gap-1" data-instructions={path}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{seenName(path)}</span>
        <span className="text-xs text-soft">{bytes(sizeBytes)}</span>
        <span className={`text-xs font-semibold ${looks[state]}`}>{t(`project.instructions.${state}`)}</span>
        {!isRefused && state !== 'unfit' && (
          <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('context.instructions.show')}
          </Button>
        )}
      </div>
      {problem !== null && <p className="text-sm text-soft wrap-anywhere">{problem}</p>}
      {isOpen && <InstructionFileNow projectPath={projectPath} path={path} />}
    </li>
  );
}
