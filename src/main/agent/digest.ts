import { shortenResult } from './cap-output.ts';
import type { AssistantEntry, CallEntry, Entry } from './conversation.ts';
import type { Turn } from './turn.ts';

/** Tokens of each part: together they stay between two and six thousand. */
const PARTS = { task: 1_200, edits: 1_800, check: 700, results: 1_600 } as const;
const SHOWN_RESULTS = 3;
const editing: readonly string[] = ['write_file', 'edit_file', 'apply_patch', 'delete_file'];

/** The work so far for somebody who has not seen it: the task, the edits, what fails, and what was looked at last. */
export function digestOf(turn: Turn): string {
  const entries = turn.conversation.entries();
  const calls = entries.filter(isAnswer).flatMap(({ calls: made }) => made);
  const task = entries.findLast((entry) => entry.type === 'user' && entry.text.includes(turn.task));
  const edits = calls.filter(({ tool }) => editing.includes(tool)).map(callText);
  const check = turn.progress.lastCheck?.check ?? null;
  const failing = check === null || check.passed ? '' : check.summary;
  const results = calls.filter(({ tool }) => !editing.includes(tool)).slice(-SHOWN_RESULTS);
  return [
    part('Task', task?.type === 'user' ? task.text : turn.task, PARTS.task),
    part('Edits so far', edits.join('\n'), PARTS.edits),
    part('What the check prints', failing, PARTS.check),
    part('The last calls and what they gave', results.map(callText).join('\n\n'), PARTS.results),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function isAnswer(entry: Entry): entry is AssistantEntry {
  return entry.type === 'assistant';
}

function callText({ tool, input, result }: CallEntry): string {
  return `${tool} ${JSON.stringify(input)}\n-> ${result === null ? 'not run' : result.text}`;
}

function part(title: string, text: string, tokens: number): string {
  return text.trim() === '' ? '' : `${title}:\n${shortenResult(text, tokens)}`;
}
