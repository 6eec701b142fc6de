import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import type { OwnToolReport } from '@shared/tools/own-tool.ts';
import { programLanguageOf } from '@shared/tools/program-tool.ts';
import { writerText } from '@shared/tools/program-writer.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { clock } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { CodeBlock } from '../../ui/content/code-block.tsx';
import { DiffView } from '../../ui/content/diff-view.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { useToolWork } from './use-tool-servers.ts';

interface KeptProgramProps {
  readonly tool: Pick<OwnToolReport, 'name' | 'file' | 'sha256'>;
  readonly program: NonNullable<OwnToolReport['program']>;
  readonly projectPath: string;
  readonly isRefused: boolean;
}

/** The calls that a kept program may make, the changes between its versions, and a button to delete it. */
export function KeptProgram({ tool, program, projectPath, isRefused }: KeptProgramProps) {
  const { name, file, sha256 } = tool;
  const client = useClient();
  const work = useToolWork();
  const [isAsking, setAsking] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const calls = program.calls.map((call) => t('tools.program.call', { tool: seenName(call.tool), most: call.most }));
  const remove = async (): Promise<void> => {
    await work.run(() => client.ownTools.removeProgram({ name, projectPath, sha256 }));
    setAsking(false);
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft wrap-anywhere">
        {t('tools.program.facts', { version: program.version, calls: calls.join(', ') })}
      </p>
      <Fold label={t('tools.program.versions')} className="text-xs" onToggle={setOpen}>
        {isOpen && <Versions name={name} file={file} projectPath={projectPath} />}
      </Fold>
      {!isRefused && isAsking && (
        <span className="flex items-center gap-2">
          <Button size="small" look="danger" disabled={work.isBusy} onClick={() => void remove()}>
            {t('tools.program.removeSure')}
          </Button>
          <Button size="small" look="quiet" onClick={() => setAsking(false)}>
            {t('tools.program.cancel')}
          </Button>
        </span>
      )}
      {!isRefused && !isAsking && (
        <Button size="small" className="w-fit" onClick={() => setAsking(true)}>
          {t('tools.program.remove')}
        </Button>
      )}
      {work.problem !== null && <Problem text={work.problem} />}
    </div>
  );
}

function Versions({
  name,
  file,
  projectPath,
}: Pick<OwnToolReport, 'name' | 'file'> & Pick<KeptProgramProps, 'projectPath'>) {
  const client = useClient();
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['tools', 'versions', projectPath, name],
    queryFn: ({ signal }) => client.ownTools.versions({ name, projectPath }, { signal }),
  });
  if (error !== null) return <Problem text={failureText(error)} onRetry={refetch} />;
  if (data === undefined) return null;
  if (data.length === 0) return <p className="pt-1 text-xs text-soft">{t('tools.program.noVersions')}</p>;
  return (
    <ul className="flex flex-col gap-3 pt-2">
      {data.map(({ version, keptAt, diff, text, writer }) => (
        <li key={version} className="flex flex-col gap-1">
          <p className="text-xs text-soft wrap-anywhere">
            {t('tools.program.version', {
              version,
              when: clock(keptAt, dataUpdatedAt),
              writer: writerText(writer),
            })}
          </p>
          {diff === null ? (
            <CodeBlock code={text} language={programLanguageOf(file) ?? ''} />
          ) : (
            <DiffView diff={diff} />
          )}
        </li>
      ))}
    </ul>
  );
}
