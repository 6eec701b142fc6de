import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { seenLines, seenName } from '@shared/text/seen-text.ts';
import { useClient } from '../../../lib/connection/core-context.ts';
import { failureText } from '../../../lib/connection/failure-text.ts';
import { keptOptions } from '../../../lib/models/session-choice.ts';
import { interactiveOptions } from '../../../lib/session/interactive-options.ts';
import { t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { DialogFrame } from '../../../ui/layout/dialog-frame.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { Problem } from '../../../ui/notices/problem.tsx';
import { CommitPart } from './commit-part.tsx';
import { RequestPart } from './request-part.tsx';

interface GitDialogProps {
  readonly sessionId: string;
  readonly onClose: () => void;
}

const parts = ['commit', 'request', 'review'] as const;
type Part = (typeof parts)[number];

/** The way of a session's changes into the project's repository: a commit, a draft request, and what reviewers said. */
export default function GitDialog({ sessionId, onClose }: GitDialogProps) {
  const [part, setPart] = useState<Part>('commit');
  return (
    <DialogFrame title={t('git.title')} about={t(`git.about.${part}`)} onClose={onClose}>
      <div className="on-raised -mx-4 -mb-4 flex min-h-0 flex-col">
        <Tabs
          tabs={parts.map((id) => ({ id, label: t(`git.part.${id}`) }))}
          selected={part}
          onSelect={setPart}
          label={t('git.title')}
          corner={null}
        >
          {part === 'commit' && <CommitPart sessionId={sessionId} onRequest={() => setPart('request')} />}
          {part === 'request' && <RequestPart sessionId={sessionId} />}
          {part === 'review' && <ReviewPart sessionId={sessionId} onSent={onClose} />}
        </Tabs>
      </div>
    </DialogFrame>
  );
}

interface ReviewPartProps {
  readonly sessionId: string;
  readonly onSent: () => void;
}

/** What reviewers said. After a click it is a message of the session, marked as the words of others. */
function ReviewPart({ sessionId, onSent }: ReviewPartProps) {
  const client = useClient();
  const [problem, setProblem] = useState<string | null>(null);
  const review = useQuery({
    queryKey: ['git', 'review', sessionId],
    queryFn: ({ signal }) => client.git.review({ sessionId }, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const send = async (text: string): Promise<void> => {
    try {
      await client.sessions.send({ sessionId, text, options: { ...interactiveOptions, ...keptOptions(sessionId) } });
      onSent();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  if (review.error !== null) return <Problem text={failureText(review.error)} onRetry={() => review.refetch()} />;
  if (review.data === undefined) return <p className="text-xs text-soft">{t('git.reading')}</p>;
  const { comments, given, message, url } = review.data;
  if (comments.length === 0)
    return <p>{t(given === 0 ? 'git.noComments' : 'git.noNewComments', { url: seenName(url) })}</p>;
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-2 text-xs wrap-anywhere">
        {comments.map(({ author, place, text }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a comment has no other key, and the list stays
          <li key={at}>
            <p className="text-soft">
              {place === null
                ? seenName(author)
                : t('git.commentOn', { author: seenName(author), place: seenName(place) })}
            </p>
            <p className="whitespace-pre-wrap">{seenLines(text)}</p>
          </li>
        ))}
      </ul>
      {problem !== null && <Problem text={problem} />}
      <div className="flex justify-end">
        <Button size="small" look="primary" onClick={() => void send(message)}>
          {t('git.workOn')}
        </Button>
      </div>
    </div>
  );
}
