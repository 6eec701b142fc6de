import { useQuery } from '@tanstack/react-query';
import { allTags } from '@shared/session/session-filter.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { organizeSessions } from '../../lib/session/organize-sessions.ts';
import { TagEditor } from '../../ui/controls/tag-editor.tsx';

interface SessionTagsProps {
  readonly sessionId: string;
  /** Those that it has. */
  readonly tags: readonly string[];
  /** The list of sessions is to be read again. */
  readonly onChanged: () => void;
  readonly onDone: () => void;
}

/** The tags of the session that is shown, beside those of the others. */
export default function SessionTags({ sessionId, tags, onChanged, onDone }: SessionTagsProps) {
  const client = useClient();
  const sessions = useQuery({
    queryKey: ['sessions', 'tags'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
    staleTime: 0,
  });
  const change = (wanted: Parameters<typeof organizeSessions>[2]): void =>
    void organizeSessions(client, [sessionId], wanted).finally(onChanged);
  return (
    <div className="max-w-md py-2">
      <TagEditor
        known={allTags(sessions.data ?? [])}
        all={tags}
        onAdd={(tag) => change({ addTags: [tag] })}
        onRemove={(tag) => change({ removeTags: [tag] })}
        onDone={onDone}
      />
    </div>
  );
}
