import { useQuery } from '@tanstack/react-query';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import { ownFirst } from '@shared/session/session-news.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { useClient } from '../connection/core-context.ts';
import { sessionTitle } from '../text/format.ts';
import { t } from '../text/translate.ts';

const shown = 4;
const none: readonly SessionSummary[] = [];

/** Sessions whose titles match what is typed after an `@`, latest first, and a person's own before all others. Empty for null or an empty text. */
export function useFoundSessions(typed: string | null, own: string | null): readonly SessionSummary[] {
  const client = useClient();
  const isAsked = typed !== null && typed !== '';
  const { data } = useQuery({
    queryKey: ['sessions', 'to-mention'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
    enabled: isAsked,
    staleTime: 5000,
  });
  return isAsked ? fittingSessions(data ?? none, typed, own) : none;
}

export function fittingSessions(
  sessions: readonly SessionSummary[],
  typed: string,
  own: string | null,
): readonly SessionSummary[] {
  const fitting = sessions
    .filter(({ sessionId, title }) => sessionId !== own && title.toLowerCase().includes(typed.toLowerCase()))
    .toSorted((left, right) => right.updatedAt - left.updatedAt);
  return ownFirst(fitting).slice(0, shown);
}

/**
 * The result of another session as a file: its title, its last task and the answer, with its source. Rejects with a
 * failure of the core.
 */
export async function fileOfSession(client: CoreClient, { sessionId, title }: SessionSummary): Promise<File> {
  const { state } = await client.sessions.show({ sessionId });
  const turn = state.turns.findLast(({ reason, text }) => reason !== null && text !== '');
  if (turn === undefined) throw new Error(t('mention.emptySession', { title: sessionTitle(title) }));
  const whole = async (id: string, beginning: string): Promise<string> =>
    (await client.sessions.detail({ sessionId, id })).text ?? beginning;
  const asked = state.messages.find(({ messageId }) => messageId === turn.messageId)?.text ?? '';
  const text = [
    t('mention.source', { title: sessionTitle(title), id: sessionId }),
    `${t('mention.asked')}\n${await whole(turn.messageId, asked)}`,
    `${t('mention.answered')}\n${await whole(turn.id, turn.text)}`,
  ].join('\n\n');
  const name = title
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, ' ')
    .trim()
    .slice(0, 60);
  return new File([`${text}\n`], `${name === '' ? sessionId : name}.md`, { type: 'text/markdown' });
}
