import type { ServerForm } from '@shared/tools/server-form.ts';
import { sleep } from '../../lib/async/abort.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { AskPerson, PersonAnswer, PersonQuestion } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';
import { askForm } from './request-approval.ts';

/**
 * Asks the person the model's question, with question and answer in the log. `--approve` has no say in it, because an
 * answer is no permission.
 */
export function personQuestion(turn: Turn, toolCallId: string): AskPerson {
  return (asked) => askOnce(turn, toolCallId, asked);
}

async function askOnce(turn: Turn, toolCallId: string, asked: PersonQuestion): Promise<PersonAnswer> {
  const { question, choices, usual } = asked;
  if (turn.asking.isLeftOpen === true) return { type: 'nobody' };
  const { defaultAfterMinutes: minutes } = turn.options;
  const form = formOf(asked);
  const wait = childAbort(turn.signal);
  const isTimed = usual !== null && minutes !== undefined;
  const ended = (): void => undefined;
  const late = isTimed
    ? {
        usual: {
          values: choices.includes(usual) ? { choice: usual } : { own: usual },
          late: sleep(minutes * 60_000, wait.signal).then(ended, ended),
        },
      }
    : {};
  try {
    const { answer, values, isSettled } = await askForm(turn, {
      kind: 'question',
      subject: 'A question',
      reason: isTimed ? `Without an answer within ${minutesText(minutes)}, the suggestion counts.` : '',
      toolCallId,
      shown: { sha256: sha256Of(JSON.stringify([question, choices])), text: question, diff: null },
      form,
      ...late,
    });
    const text = [values?.own, values?.choice]
      .map((one) => (typeof one === 'string' ? one.trim() : ''))
      .find((one) => one !== '');
    if (answer === 'allow' && text !== undefined) return { type: isSettled === true ? 'default' : 'answered', text };
    // A yes without an answer: the person answers later.
    if (answer === 'deny') return { type: 'declined' };
    turn.asking.isLeftOpen = true;
    return { type: 'nobody' };
  } finally {
    wait.abort();
    wait.release();
  }
}

function minutesText(minutes: number): string {
  if (minutes < 1) return `${Math.max(1, Math.round(minutes * 60))} s`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

function formOf({ choices, usual }: PersonQuestion): ServerForm {
  const common = { description: '', isRequired: false } as const;
  const isChoice = usual !== null && choices.includes(usual);
  const own = {
    ...common,
    name: 'own',
    title: 'Your answer',
    type: 'text',
    format: null,
    least: null,
    most: 20_000,
    preset: isChoice ? null : usual,
  } as const;
  if (choices.length === 0) return [own];
  const listed = [...new Set(choices)].map((choice) => ({ value: choice, title: choice }));
  const preset = isChoice ? usual : null;
  return [{ ...common, name: 'choice', title: 'Choices', type: 'one-of', choices: listed, preset }, own];
}
