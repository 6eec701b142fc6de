import type { ApprovalState, SessionState, TurnState } from '@shared/session/session-state.ts';
import { turnStatus } from '@shared/session/session-state.ts';
import { printable, seenPieces } from '@shared/text/seen-text.ts';
import { approvalText } from './approval-text.ts';
import { seenPieceText } from '../text/seen-piece-text.ts';
import type { SpokenMessage } from '../notices/screen-reader.ts';
import { t } from '../text/translate.ts';

/**
 * What is said between two states of a session: a turn that began or ended, a question that waits, a notice. Never
 * the words of a model: they come one by one, and are read where they stand. Null: it was only just opened.
 */
export function spokenChanges(before: SessionState | null, after: SessionState): readonly SpokenMessage[] {
  if (before === null) return questions(null, after);
  return [...turnSaid(before, after), ...noticesSaid(before, after), ...questions(before, after)];
}

function turnSaid(before: SessionState, after: SessionState): readonly SpokenMessage[] {
  const [was, is] = [before.turns.at(-1), after.turns.at(-1)];
  if (is === undefined || (was?.id === is.id && was.reason === is.reason)) return [];
  return [turnText(is)];
}

function turnText(turn: TurnState): SpokenMessage {
  const status = turnStatus(turn);
  if (status === 'running') return { how: 'polite', text: t('spoken.started') };
  const text = t(turn.reason === 'planned' ? 'spoken.planned' : `spoken.ended.${status}`);
  const failure = turn.failure === null ? '' : ` ${turn.failure.message}`;
  return { how: status === 'error' || status === 'missing' ? 'assertive' : 'polite', text: `${text}${failure}` };
}

function noticesSaid(before: SessionState, after: SessionState): readonly SpokenMessage[] {
  return after.notices
    .filter(({ seq }) => seq > before.seq)
    .map(({ text }) => ({ how: 'polite', text: printable(text) }));
}

/** Questions are answered one at a time, so only the first one is said. */
function questions(before: SessionState | null, { approvals: [first], cap }: SessionState): readonly SpokenMessage[] {
  const said: SpokenMessage[] = [];
  if (first !== undefined && before?.approvals[0]?.approvalId !== first.approvalId) said.push(questionText(first));
  if (cap !== null && before?.cap?.capId !== cap.capId) said.push({ how: 'assertive', text: t('spoken.cap') });
  return said;
}

/** What cannot be seen is not passed over in silence either. */
function questionText({ kind, subject }: ApprovalState): SpokenMessage {
  const seen = seenPieces(subject).map(seenPieceText);
  return { how: 'assertive', text: t('spoken.approval', { kind: approvalText(kind), subject: seen.join('') }) };
}
