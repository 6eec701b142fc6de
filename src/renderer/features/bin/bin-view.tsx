import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { clock, sessionTitle } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** Deleted sessions, to restore or to delete for good. */
export default function BinView({ onSession }: { readonly onSession: (sessionId: string) => void }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ['bin'],
    queryFn: ({ signal }) => client.sessions.binned(undefined, { signal }),
    staleTime: 0,
  });
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: (id: string) => client.sessions.restore({ id }),
    onSuccess: ({ sessionId }) => onSession(sessionId),
  });
  const purge = useMutation({
    mutationFn: (id: string) => client.sessions.purge({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['bin'] }),
  });
  const error = query.error ?? restore.error ?? purge.error;
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto w-full max-w-3xl px-5 py-8">
        <ViewHeader title={t('bin.title')} text={t('bin.text')} />
        {error !== null && <Problem className="mt-3" text={failureText(error)} />}
        {query.data?.length === 0 && (
          <Empty icon="bin" action="new">
            {t('bin.empty')}
          </Empty>
        )}
        <ul className="mt-4 flex flex-col divide-y divide-line">
          {query.data?.map((session) => (
            <Binned
              key={session.sessionId}
              session={session}
              readAt={query.dataUpdatedAt}
              onRestore={() => restore.mutate(session.sessionId)}
              onPurge={() => purge.mutate(session.sessionId)}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

interface BinnedProps {
  readonly session: SessionSummary;
  readonly readAt: number;
  readonly onRestore: () => void;
  readonly onPurge: () => void;
}

function Binned({ session, readAt, onRestore, onPurge }: BinnedProps) {
  const [isAsking, setIsAsking] = useState(false);
  const title = sessionTitle(session.title);
  const projectName = useProjectNames();
  const place = session.project === null ? '' : `${projectName(session.project)} · `;
  return (
    <li aria-label={title} className="flex flex-wrap items-center gap-2 py-2.5">
      <span className="min-w-0 flex-1 basis-48">
        <span className="block truncate text-sm">{title}</span>
        <span className="block truncate text-xs text-soft">
          {place}
          {plural('sessions.steps', session.steps)} · {clock(session.updatedAt, readAt)}
        </span>
      </span>
      {isAsking ? (
        <>
          <span className="text-xs">{t('bin.sure')}</span>
          <Button size="small" look="danger" onClick={onPurge}>
            {t('bin.purge')}
          </Button>
          <Button size="small" onClick={() => setIsAsking(false)}>
            {t('bin.keep')}
          </Button>
        </>
      ) : (
        <>
          <Button size="small" onClick={onRestore}>
            {t('bin.restore')}
          </Button>
          <Button size="small" look="danger" onClick={() => setIsAsking(true)}>
            {t('bin.purge')}
          </Button>
        </>
      )}
    </li>
  );
}
