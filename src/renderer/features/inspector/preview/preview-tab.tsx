import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { CitedPlace } from '@shared/documents/cited-part.ts';
import type { SessionState, ToolCallState } from '@shared/session/session-state.ts';
import { seenCommand, seenName } from '@shared/text/seen-text.ts';
import { canvasToolName } from '@shared/tools/canvas.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import type { PreviewableFile } from '../../../lib/session/previewable-files.ts';
import { previewableFiles } from '../../../lib/session/previewable-files.ts';
import { t } from '../../../lib/text/translate.ts';
import { DrawnCall } from '../../../ui/canvas/drawn-call.tsx';
import { Empty } from '../../../ui/layout/facts.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { CitedText } from './cited-text.tsx';
import { FilePreview } from './file-preview.tsx';
import { Select } from '../../../ui/controls/select.tsx';

interface PreviewTabProps {
  readonly sessionId: string;
  readonly state: SessionState;
  /** The latest place in a document that the user opened. Null: none. */
  readonly cited: CitedPlace | null;
}

const citedKey = 'cited';

/**
 * Previews what the agent showed, made or cited: a chart, page, picture, text, table or a place in a document. Follows
 * changes of the file.
 */
export default function PreviewTab({ sessionId, state, cited }: PreviewTabProps) {
  const { changes, messages, toolCalls, turns } = state;
  const files = useMemo(() => previewableFiles({ changes, messages }), [changes, messages]);
  const drawn = useMemo(() => toolCalls.filter(isShown).reverse(), [toolCalls]);
  const [choice, setChoice] = useState<{ readonly key: string; readonly cited: CitedPlace | null } | null>(null);
  // A place that is opened later comes before an earlier choice.
  const chosen = choice?.cited === cited ? choice.key : null;
  const keys = [
    ...(cited === null ? [] : [citedKey]),
    ...drawn.map(({ toolCallId }) => toolCallId),
    ...files.map(({ key }) => key),
  ];
  const key = keys.find((one) => one === chosen) ?? keys[0];
  const file = files.find((one) => one.key === key);
  const call = drawn.find(({ toolCallId }) => toolCallId === key);
  if (key === undefined) return <Empty action="message">{t('preview.none')}</Empty>;
  return (
    <div className="flex h-full min-h-0 flex-col gap-3">
      <Select
        aria-label={t('preview.choose')}
        value={key}
        onChange={(event) => setChoice({ key: event.target.value, cited })}
        className="w-full shrink-0"
      >
        {cited !== null && <option value={citedKey}>{t('cited.option', { name: seenName(cited.path) })}</option>}
        {drawn.map(({ toolCallId, label }) => (
          <option key={toolCallId} value={toolCallId}>
            {seenCommand(label)}
          </option>
        ))}
        {files.map(({ key: one, name, isAttached }) => (
          <option key={one} value={one}>
            {isAttached ? t('preview.attached', { name: seenName(name) }) : seenName(name)}
          </option>
        ))}
      </Select>
      {key === citedKey && cited !== null && <CitedText sessionId={sessionId} cited={cited} />}
      {file !== undefined && <Loaded key={key} sessionId={sessionId} file={file} />}
      {call !== undefined && (
        <div key={key} className="-mr-[10px] min-h-0 flex-1 overflow-y-auto">
          <DrawnCall sessionId={sessionId} call={call} near={turns.find(({ id }) => id === call.turnId)?.seq ?? 1} />
        </div>
      )}
    </div>
  );
}

function isShown({ tool, status }: ToolCallState): boolean {
  return tool === canvasToolName && status === 'ok';
}

function Loaded({ sessionId, file }: { readonly sessionId: string; readonly file: PreviewableFile }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['shown-file', sessionId, file.key, file.version],
    queryFn: ({ signal }) => client.changes.file({ sessionId, source: file.source }, { signal }),
    // The last version stays visible until the next one is loaded.
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (error !== null) return <Problem text={`${t('preview.failed')} ${failureText(error)}`} onRetry={refetch} />;
  return data === undefined ? null : <FilePreview file={file} content={data} />;
}
