import type { Part } from '@shared/models/model-messages.ts';
import { useSkillName } from '../../tools/skills/skill-catalog.ts';
import { isRecord } from '@shared/unknown-value.ts';
import type { Turn } from '../turn/turn.ts';
import { resultText } from './build-prompt.ts';
import type { AssistantEntry, CallEntry, Entry } from '../../recipes/conversation-entries.ts';
import { isLong, notedParts } from './noted-parts.ts';
import type { TokenEstimate } from './token-estimate.ts';

type FitTurn = Pick<Turn, 'prompt' | 'log'>;

/** A result is not cut to less by its share while that helps, and never to less than the second. */
const leastShareTokens = 150;
export const smallestShareTokens = 30;
/** Below this many tokens an answer is not worth cutting. */
const smallAnswerTokens = 400;

/** Results of the newest answers together, in tokens. */
export function resultTokensOf({ conversation, tokens }: Turn['prompt']): number {
  return callsOf(conversation.entries()).reduce((sum, call) => sum + tokens.count(resultText(call)), 0);
}

/**
 * Cuts the largest results to a fair share, so that all of them save about `surplus` tokens: a small result stays
 * whole, and each large one keeps as much as the others. The cut says how to read the rest.
 */
export async function shareResults(turn: FitTurn, surplus: number, least = leastShareTokens): Promise<void> {
  const { conversation, tokens } = turn.prompt;
  const calls = callsOf(conversation.entries())
    .map((call) => ({ call, size: tokens.count(resultText(call)) }))
    .filter(({ call, size }) => call.result !== null && size > least && call.tool !== useSkillName);
  const whole = calls.reduce((sum, { size }) => sum + size, 0);
  const share = fairShare(
    calls.map(({ size }) => size),
    whole - surplus,
    least,
  );
  // A kept token stands for three bytes, whatever a token of this model has.
  const keepTokens = Math.floor((share * 1000) / tokens.countBytes(3000));
  for (const { call, size } of calls) {
    if (size <= share) continue;
    await turn.log.append({
      type: 'observation-trimmed',
      toolCallId: call.toolCallId,
      beforeTokens: size,
      afterTokens: keepTokens,
      // A hint in each would take more than what is left of them.
      ...(least < leastShareTokens ? {} : { rest: restOf(call) }),
    });
  }
}

/** The size above which each is cut, so that together they have `room`. */
export function fairShare(sizes: readonly number[], room: number, least = leastShareTokens): number {
  let left = room;
  let share = 0;
  const sorted = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of sorted.entries()) {
    share = Math.floor(left / (sorted.length - index));
    if (size > share) break;
    left -= size;
    share = size;
  }
  return Math.max(least, share);
}

/** Replaces long arguments and texts of the model's own answers by notes, the oldest first. */
export async function noteAnswers(turn: FitTurn, answers: readonly Entry[], surplus: number): Promise<void> {
  let saved = 0;
  for (const entry of answers) {
    if (saved >= surplus) return;
    if (entry.type !== 'assistant' || entry.callId === undefined) continue;
    const before = answerTokens(turn.prompt.tokens, entry);
    const after = answerTokens(turn.prompt.tokens, { ...entry, parts: notedParts(entry.parts) });
    if (before < smallAnswerTokens || after > before * 0.8) continue;
    saved += before - after;
    await turn.log.append({ type: 'answer-trimmed', callId: entry.callId, beforeTokens: before, afterTokens: after });
  }
}

/** The largest parts of a conversation, for the person who reads that it does not fit. */
export function largestParts({ conversation, tokens }: Turn['prompt']): readonly string[] {
  const parts = conversation.entries().flatMap((entry) => {
    if (entry.type === 'user') {
      const files = (entry.attached ?? []).map(({ attachment }) => attachment.name);
      const what = entry.said === undefined ? 'a note of Dewpoint' : 'your message';
      const name = files.length === 0 ? what : `${what} with ${files.slice(0, 3).join(', ')}`;
      return [{ name, size: tokens.count(entry.text) }];
    }
    const results = entry.calls.map((call) => ({ name: resultLabel(call), size: tokens.count(resultText(call)) }));
    return [{ name: 'an answer of the model', size: answerTokens(tokens, entry) }, ...results];
  });
  const sorted = parts.toSorted((a, b) => b.size - a.size).filter(({ size }) => size >= 100);
  return sorted.slice(0, 3).map(({ name, size }) => `${name} (about ${size} tokens)`);
}

function callsOf(entries: readonly Entry[]): readonly CallEntry[] {
  return entries.flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []));
}

function answerTokens(tokens: TokenEstimate, { parts }: AssistantEntry): number {
  return tokens.count(parts.map(textOfPart).join(''));
}

function textOfPart(part: Part): string {
  if (part.type === 'text') return part.text;
  if (part.type !== 'tool-call') return '';
  return `${isLong(part.name) ? part.name : ''}${JSON.stringify(part.input ?? part.raw ?? '')}`;
}

function resultLabel({ tool, input }: CallEntry): string {
  const path = isRecord(input) && typeof input.path === 'string' ? ` ${input.path.slice(0, 80)}` : '';
  return `the result of ${tool}${path}`;
}

/** How to read what a cut left out. */
function restOf({ tool }: CallEntry): string {
  switch (tool) {
    case 'read_file':
      return 'read_file with "from" and "to" reads them, a part at a time';
    case 'run_command':
    case 'run_tests':
      return 'run it again for less output, such as with grep, head or tail';
    default:
      return 'ask again for less at once';
  }
}
