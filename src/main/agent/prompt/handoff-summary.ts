import { shortenResult } from './shorten-output.ts';
import type { AssistantEntry, CallEntry, Entry } from '../../recipes/conversation-entries.ts';
import type { ChangesOverview } from '../gate/changes-overview.ts';
import type { Turn } from '../turn/turn.ts';

/** The size of a whole handoff, in tokens. What one part does not need, the others may use. */
const HANDOFF_TOKENS = 5_600;
/** The least that each part gets, if it needs that much. */
const SHARES = { task: 700, facts: 700, changes: 1_600, files: 900, check: 900, results: 800 } as const;
const SHOWN_RESULTS = 3;
const editing: readonly string[] = ['write_file', 'edit_file', 'apply_patch', 'rename_symbol', 'delete_file'];

/** The part of a turn that a handoff describes. */
type WorkedTurn = Pick<Turn, 'task' | 'prompt' | 'progress' | 'steps'>;

interface Section {
  readonly title: string;
  readonly text: string;
  readonly share: number;
}

/**
 * The work so far for a model that has not seen it, in at most six thousand tokens: the task, the facts, the diff, what
 * fails, and what was looked at last. `look`: what was changed.
 */
export function handoffSummary(turn: WorkedTurn, look: ChangesOverview): string {
  const entries = turn.prompt.conversation.entries();
  const calls = entries.filter(isAnswer).flatMap(({ calls: made }) => made);
  const task = entries.findLast((entry) => entry.type === 'user' && entry.text.includes(turn.task));
  const { said, notes = [] } = task?.type === 'user' ? task : {};
  // The check's output has a part of its own, and its output from before the work is out of date.
  const told = notes.filter((text) => !text.includes('<output>'));
  const edits = calls.filter(({ tool }) => editing.includes(tool));
  const check = turn.progress.lastCheck?.check ?? null;
  const failing = check === null || check.passed ? '' : check.summary;
  const results = calls.filter(({ tool }) => !editing.includes(tool)).slice(-SHOWN_RESULTS);
  const failed = edits.filter(({ result }) => result === null || result.isError);
  const changes = [look.diff, ...failed.map(callText)].join('\n');
  const sections: Section[] = [
    { title: 'Task', text: said ?? turn.task, share: SHARES.task },
    { title: 'Facts', text: [...told, factsOf(turn, look)].join('\n'), share: SHARES.facts },
    { title: 'What was changed', text: changes, share: SHARES.changes },
    { title: 'Changed files as they are now', text: wholeFiles(look), share: SHARES.files },
    { title: 'What the check prints', text: failing, share: SHARES.check },
    { title: 'The last calls and what they gave', text: results.map(callText).join('\n\n'), share: SHARES.results },
  ].filter(({ text }) => text.trim() !== '');
  return sections.map((section) => shown(turn, section, sections)).join('\n\n');
}

/** A part may use its share and an equal piece of what the short parts leave over. */
function shown(turn: Pick<Turn, 'prompt'>, { title, text, share }: Section, all: readonly Section[]): string {
  const needs = all.map((one) => ({ share: one.share, needed: turn.prompt.tokens.count(one.text) }));
  const used = needs.reduce((sum, { share: own, needed }) => sum + Math.min(own, needed), 0);
  const wanting = needs.filter(({ share: own, needed }) => needed > own).length;
  const more = wanting === 0 ? 0 : Math.floor((HANDOFF_TOKENS - used) / wanting);
  return `${title}:\n${shortenResult(text, share + more)}`;
}

function factsOf(turn: Pick<Turn, 'progress' | 'steps'>, look: ChangesOverview): string {
  const { steps, counts, isGreen } = turn.steps.trajectory();
  const check = turn.progress.lastCheck?.check ?? null;
  return [
    // A recipe counts no steps.
    steps === 0
      ? ''
      : `The loop took ${steps} steps; ${counts.writes} edits were made, ${counts.rejectedEdits} turned down.`,
    look.changed === 1 ? '1 file differs from before the task.' : `${look.changed} files differ from before the task.`,
    check === null
      ? 'There is no check that says when the task is done.'
      : `The check ${check.passed ? 'passes' : 'fails'}.`,
    isGreen === null ? '' : `The last run of tests ${isGreen ? 'passed' : 'failed'}.`,
    ...look.findings.map(({ text }) => text),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function wholeFiles({ files = [] }: ChangesOverview): string {
  return files.map(({ path, text }) => `${path}:\n${text}`).join('\n\n');
}

function isAnswer(entry: Entry): entry is AssistantEntry {
  return entry.type === 'assistant';
}

function callText({ tool, input, result }: CallEntry): string {
  return `${tool} ${JSON.stringify(input)}\n-> ${result === null ? 'not run' : result.text}`;
}
