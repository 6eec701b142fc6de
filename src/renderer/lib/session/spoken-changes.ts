import type { ApprovalState, SessionState, TurnState } from '@shared/session/session-state.ts';
import type { ChangeStatus } from '@shared/session/file-change-state.ts';
import { changeStatus } from '@shared/session/file-change-state.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { printable, seenName, seenPieces } from '@shared/text/seen-text.ts';
import { approvalText } from './approval-text.ts';
import { seenPieceText } from '../text/seen-piece-text.ts';
import type { SpokenMessage } from '../notices/screen-reader.ts';
import { t } from '../text/translate.ts';

/**
 * Announcements for the changes between two states of a session: a turn that began or ended, an open question, a
 * notice, a change that was taken or undone. Streamed words are not announced; a finished answer is announced with its
 * beginning. A null `before` means that the session was just opened.
 */
export function spokenChanges(before: SessionState | null, after: SessionState): readonly SpokenMessage[] {
  if (before === null) return questions(null, after);
  return [
    ...turnSaid(before, after),
    ...noticesSaid(before, after),
    ...questions(before, after),
    ...changesSaid(before, after),
  ];
}

function turnSaid(before: SessionState, after: SessionState): readonly SpokenMessage[] {
  const [was, is] = [before.turns.at(-1), after.turns.at(-1)];
  if (is === undefined || (was?.id === is.id && was.reason === is.reason)) return [];
  const text = turnText(is);
  // A turn that ended before it was seen began, too.
  return was?.id === is.id || is.reason === null ? [text] : [started(), text];
}

const started = (): SpokenMessage => ({ how: 'polite', text: t('spoken.started') });

function turnText(turn: TurnState): SpokenMessage {
  const status = turnStatus(turn);
  if (status === 'running') return started();
  const answer = turn.reason === 'answered' ? beginningOf(turn.text) : '';
  if (answer !== '') return { how: 'polite', text: t('spoken.answered', { text: answer }) };
  const text = t(turn.reason === 'planned' ? 'spoken.planned' : `spoken.ended.${status}`);
  const failure = turn.failure === null ? '' : ` ${turn.failure.message}`;
  return { how: status === 'error' || status === 'missing' ? 'assertive' : 'polite', text: `${text}${failure}` };
}

/** About fifteen seconds of speech, in characters. */
const mostSaid = 300;

/** The first words of an answer, without Markdown marks. */
function beginningOf(text: string): string {
  const lines = printable(text)
    .split('\n')
    .filter((line) => !/^(?:`{3}|~{3})/u.test(line.trim()))
    .map((line) => line.replace(/^[\s#>|+*-]+/u, '').replaceAll(/[*`_|]/gu, ' '));
  const words = lines.join(' ').replaceAll(/\s+/gu, ' ').trim();
  if (words.length <= mostSaid) return words;
  return `${words.slice(0, words.lastIndexOf(' ', mostSaid))} …`;
}

type ChangeDecision = 'undone' | 'reviewed' | 'redone';

/** The user's decisions on changes. The agent's changes are not announced, because the end of its turn is. */
function changesSaid(before: SessionState, { changes, turns }: SessionState): readonly SpokenMessage[] {
  // While the agent works, a change of status is not the user's decision.
  if (turns.at(-1)?.reason === null) return [];
  const was = new Map(before.changes.map((change) => [change.path, changeStatus(change)]));
  const ways: Record<ChangeDecision, string[]> = { undone: [], reviewed: [], redone: [] };
  for (const change of changes) {
    const way = decisionOf(was.get(change.path), changeStatus(change));
    if (way !== null) ways[way].push(change.path);
  }
  return (['undone', 'reviewed', 'redone'] as const).flatMap((way) => {
    const [path, ...others] = ways[way];
    if (path === undefined) return [];
    const text =
      others.length === 0
        ? t(`spoken.${way}`, { path: seenName(path) })
        : t(`spoken.${way}.many`, { count: ways[way].length });
    return [{ how: 'polite', text }] as const;
  });
}

function decisionOf(was: ChangeStatus | undefined, is: ChangeStatus): ChangeDecision | null {
  if (was === undefined || was === is) return null;
  return is === 'pending' ? 'redone' : is;
}

function noticesSaid(before: SessionState, after: SessionState): readonly SpokenMessage[] {
  return after.notices
    .filter(({ seq }) => seq > before.seq)
    .map(({ text }) => ({ how: 'polite', text: printable(text) }));
}

/** Questions are answered one at a time, so only the first one is announced. */
function questions(before: SessionState | null, { approvals: [first], cap }: SessionState): readonly SpokenMessage[] {
  const said: SpokenMessage[] = [];
  if (first !== undefined && before?.approvals[0]?.approvalId !== first.approvalId) said.push(questionText(first));
  if (cap !== null && before?.cap?.capId !== cap.capId) said.push({ how: 'assertive', text: t('spoken.cap') });
  return said;
}

/** Invisible characters are read out, too. */
function questionText({ kind, subject, text }: ApprovalState): SpokenMessage {
  // The subject of a question of the agent says only that it is one.
  const seen = seenPieces(kind === 'question' ? (text ?? subject) : subject).map(seenPieceText);
  return { how: 'assertive', text: t('spoken.approval', { kind: approvalText(kind), subject: seen.join('') }) };
}
