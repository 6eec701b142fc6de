import type { ServerForm } from '@shared/tools/server-form.ts';
import { sleep } from '../../lib/async/abort.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { AskPerson, PersonAnswer, PersonQuestion } from '../../tools/define.ts';
import type { Turn } from '../turn/turn.ts';
import { askForm } from './request-approval.ts';

/** Asks the person the model's question, with question and answer in the log. Only their own words count. */
export function personQuestion(turn: Turn, toolCallId: string): AskPerson {
  return async (asked) => {
    const { defaultAfterMinutes: minutes, approve } = turn.options;
    const usual = minutes === undefined ? null : asked.usual;
    // Whoever answers approvals for the person has no answer to a question.
    const said =
      approve === 'ask' ? await askOnce(turn, toolCallId, asked, usual === null ? null : (minutes ?? null)) : null;
    if (said !== null) return said;
    return usual === null ? { type: 'nobody' } : { type: 'default', text: usual };
  };
}

/** Null: nobody answered. `minutes`: how long it waits; null: as long as it takes. */
async function askOnce(
  turn: Turn,
  toolCallId: string,
  { question, choices }: PersonQuestion,
  minutes: number | null,
): Promise<PersonAnswer | null> {
  const form = formOf(choices);
  const wait = childAbort(turn.signal);
  const late =
    minutes === null
      ? {}
      : {
          settled: sleep(minutes * 60_000, wait.signal).then(
            () => 'deny' as const,
            () => 'deny' as const,
          ),
        };
  try {
    const { answer, values, isSettled } = await askForm(turn, {
      kind: 'question',
      subject: 'A question',
      reason: '',
      toolCallId,
      shown: { sha256: sha256Of(JSON.stringify([question, choices])), text: question, diff: null },
      form,
      ...late,
    });
    if (answer === 'nobody' || isSettled === true) return null;
    const text = [values?.own, values?.choice].find((one): one is string => typeof one === 'string' && one !== '');
    if (text !== undefined) return { type: 'answered', text };
    // A yes without an answer: the person answers later.
    return { type: answer === 'allow' ? 'nobody' : 'declined' };
  } finally {
    wait.abort();
    wait.release();
  }
}

function formOf(choices: readonly string[]): ServerForm {
  const common = { description: '', isRequired: false } as const;
  const own = {
    ...common,
    name: 'own',
    title: 'Your answer',
    type: 'text',
    format: null,
    least: null,
    most: 8_000,
    preset: null,
  } as const;
  if (choices.length === 0) return [own];
  const listed = [...new Set(choices)].map((choice) => ({ value: choice, title: choice }));
  return [{ ...common, name: 'choice', title: 'Choices', type: 'one-of', choices: listed, preset: null }, own];
}
