import { textOf } from '@shared/models/model-messages.ts';
import { isSmall, textRequest } from '../prompt/build-prompt.ts';
import type { AssistantEntry, CallEntry } from '../../recipes/conversation-entries.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { shortenResult } from '../prompt/shorten-output.ts';
import { runStep } from '../step/run-step.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import { useSkillName, withoutSkillName } from '../../tools/skills/skill-catalog.ts';
import type { Turn } from '../turn/turn.ts';
import type { Worker } from '../turn/task-work.ts';

const longestTask = 1_500;
const resultTokens = 1_000;
/** Texts that say that a task is done, without what came of it. */
const hollow: ReadonlySet<string> = new Set([
  '',
  'done',
  'ok',
  'okay',
  'complete',
  'completed',
  'finished',
  'success',
  'it is done',
  'task done',
  'task complete',
  'task completed',
  'the task is done',
  'the task is complete',
]);

/** They return no answer to a question. */
const withoutAnswer: readonly string[] = ['task_complete', 'update_plan', useSkillName];

/**
 * The final text of a turn in which the connected tool `wanted` was called first, or in which a small model answers a
 * question. Such a model often ends such a turn with "done" and leaves out the result, so it is asked once more, for words alone.
 * Returns `text` if it says something, if the tool returned nothing, or if the call fails. Throws `cancelled`.
 */
export async function answerFromResult(
  turn: Turn,
  { stage, model }: Worker,
  text: string,
  wanted: string | null,
): Promise<string> {
  const answers = isSmall(model.info) && isQuestion(withoutSkillName(turn.task));
  if (!isHollow(text) || (wanted === null && !answers)) return text;
  const result = resultOf(turn, wanted);
  if (result === null) return text;
  const user = `Request: ${turn.task.slice(0, longestTask)}\n\nResult: ${result}\n\nAnswer:`;
  const asked = { system: promptTexts.answerFromResult, user, maxOutputTokens: 300, use: 'answer-from-result' };
  const reply = await runStep(turn, {
    purpose: 'answer',
    stage,
    model,
    reason: { code: 'cascade', text: 'The model ended without saying what the tool returned.' },
    request: textRequest(turn, model.info.name, asked),
    isOptional: true,
  });
  const said = reply.type === 'answered' && reply.complete ? textOf(reply).trim() : '';
  return said === '' ? text : said;
}

/**
 * The last result of a tool in the conversation, or of any if none was wanted; in a talk also one that says why it
 * failed. Null: there is none, or it is empty.
 */
function resultOf({ prompt: { conversation }, given }: Turn, tool: string | null): string | null {
  const calls = conversation
    .entries()
    .filter((entry): entry is AssistantEntry => entry.type === 'assistant')
    .flatMap((entry): readonly CallEntry[] => entry.calls);
  const last = calls.findLast(
    (call) =>
      (tool === null ? !withoutAnswer.includes(call.tool) : call.tool === tool) &&
      call.result !== null &&
      (given.mode === 'chat' || !call.result.isError),
  );
  const text = last?.result?.text.trim() ?? '';
  return text === '' ? null : shortenResult(text, resultTokens);
}

function isHollow(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return hollow.has(words.join(' '));
}
