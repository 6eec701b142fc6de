import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { SessionState } from '@shared/session/session-state.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import type { PreviewableFile } from '../../../lib/session/previewable-files.ts';
import { previewableFiles } from '../../../lib/session/previewable-files.ts';
import { t } from '../../../lib/text/translate.ts';
import { inputClass } from '../../../ui/controls/field.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { FilePreview } from './file-preview.tsx';

interface PreviewTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
}

/** What the agent made, as what it is: a page, a picture, a text, a table. It follows the file. */
export default function PreviewTab({ sessionId, state: { changes, messages } }: PreviewTabProps) {
  const files = useMemo(() => previewableFiles({ changes, messages }), [changes, messages]);
  const [chosen, setChosen] = useState<string | null>(null);
  const file = files.find(({ key }) => key === chosen) ?? files[0];
  if (file === undefined) return <Empty action="message">{t('preview.none')}</Empty>;
  return (
    <div className="flex h-full min-h-0 flex-col gap-3">
      <select
        aria-label={t('preview.choose')}
        value={file.key}
        onChange={(event) => setChosen(event.target.value)}
        className={`${inputClass} shrink-0 font-mono text-xs`}
      >
        {files.map(({ key, name, isAttached }) => (
          <option key={key} value={key}>
            {isAttached ? t('preview.attached', { name: seenName(name) }) : seenName(name)}
          </option>
        ))}
      </select>
      <Loaded key={file.key} sessionId={sessionId} file={file} />
    </div>
  );
}

function Loaded({ sessionId, file }: { readonly sessionId: string; readonly file: PreviewableFile }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['shown-file', sessionId, file.key, file.version],
    queryFn: ({ signal }) => client.changes.file({ sessionId, source: file.source }, { signal }),
    // The last version stands until the next one is there.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (error !== null) return <Problem text={`${t('preview.failed')} ${failureText(error)}`} onRetry={refetch} />;
  return data === undefined ? null : <FilePreview file={file} content={data} />;
}
