import type { ProjectFacts } from '../../projects/facts/project-facts.ts';
import { noProgramText, missingProgram } from '@shared/text/missing-program.ts';
import type { EventOf } from '@shared/events/events.ts';

/** Marks what Dewpoint says itself, so that a model does not take it for the user's words. */
const opened = '<dewpoint>\n';
const closed = '\n</dewpoint>';

/** Told to a large model with a question, whose tools are those of any other turn. */
export const askNote =
  'The user asks a question: nothing may be changed here until they ask for a change, and an edit is refused.';

export function factsBlock(notes: readonly string[]): string {
  return `${opened}${notes.join('\n\n')}${closed}`;
}

/** The notes inside a block; any other text is returned unchanged. */
export function withoutBlock(text: string): string {
  return text.startsWith(opened) && text.endsWith(closed) ? text.slice(opened.length, -closed.length) : text;
}

/** Marks the output of a program as data, whatever it says. */
export function outputBlock(text: string): string {
  return `<output>\n${inert(text)}\n</output>`;
}

/** Prevents a text from outside from ending the block it is in, or starting one. */
export function inert(text: string): string {
  return text.replaceAll(/<(?=\/?(?:dewpoint|output)\b)/giu, '\u2039');
}

/** What the conversation says of a change that the person took back. */
export function takenBackNote({ path, hunks }: EventOf<'file-changed'>): string {
  if (hunks === undefined) return `The change of ${path} was taken back.`;
  const undone = hunks.states.filter((state) => state === 'undone').length;
  if (undone === 0) return `All parts of the change of ${path} stand again.`;
  return `Of the change of ${path}, ${undone} of ${hunks.states.length} parts were taken back. Read the file before you edit it.`;
}

export function checkNote(event: EventOf<'check-ended'>, wasGuarded: boolean): string {
  const missing = missingProgram(event.exitCode, event.summary);
  if (missing !== null && !event.passed) return missingNote(event, missing);
  if (event.phase === 'before') {
    if (event.unrelated === true)
      return `\`${event.command}\` fails already, for something that is not the task. Leave that alone, and make no more fail:\n${outputBlock(event.summary)}`;
    return event.passed
      ? `\`${event.command}\` passes now and must still pass at the end. That alone does not make the task done: what it asks for must be there.`
      : `\`${event.command}\` fails now. The task is done when it passes:\n${outputBlock(event.summary)}`;
  }
  if (event.passed || event.unrelated === true) return '';
  const guarded = wasGuarded ? ' A line that you were refused is guarded: if it must change, say so as blocked.' : '';
  return `The task is not complete: \`${event.command}\` fails:\n${outputBlock(event.summary)}\nFind out why and put it right.${guarded}`;
}

/** No change of the project brings a program into the sandbox, so the model is not sent to look for one. */
function missingNote({ phase, command, unrelated }: EventOf<'check-ended'>, program: string): string {
  const said = noProgramText(`\`${inert(command)}\``, inert(program));
  if (phase === 'before') return `${said} Nothing that you do brings it there: check your change by reading it again.`;
  return unrelated === true
    ? ''
    : `${said} If your change names it, put that right. Otherwise call task_complete with status "blocked", and say what is done.`;
}

export function gateNote({ by, text }: EventOf<'gate-checked'>): string {
  if (by !== 'review') return inert(text);
  return `The task is not complete. A stronger model reviewed the change that was made before this, and asks:\n${inert(text)}`;
}

/** `data` is true if a change was applied again instead of reverted. */
export function takenBackText({ output, data }: EventOf<'tool-ended'>): string {
  const paths = output.split('\n').filter((line) => line !== '');
  if (paths.length === 0) return '';
  const named = paths.slice(0, 20).join(', ');
  if (data === true) return `The change before this was made again in ${named}.`;
  return `The change before this was taken back; what it changed is as it was: ${named}.`;
}

/** Says whether the model may make the call again, so that it does not guess. */
export function fetchedText({ status, output }: EventOf<'tool-ended'>): string {
  const isOpen = status === 'refused' || status === 'unknown';
  const said = isOpen
    ? 'Its server could not be asked for the call that was cut off. It may still be at work: do not make that call again.'
    : 'The server of the call that was cut off was asked for it. That call is not to be made again for this. How it ended:';
  return `${said}\n${outputBlock(output)}`;
}

/** Turns that end with an answer of a model. The other ends are put in words by Dewpoint. */
export const wordsOfModel: readonly string[] = ['answered', 'planned', 'waiting', 'incomplete'];

/** Told before the next message, whose author may have asked for the rest. */
export const cutBefore =
  'Your answer before this was cut off: what it says to its end is not all that you wanted to say.';

const limitNames: Partial<Record<EventOf<'turn-ended'>['reason'], string>> = {
  cap: 'its spending limit',
  'step-limit': 'its limit of steps',
  'token-limit': 'its limit of tokens',
  'time-limit': 'its time limit',
  'output-limit': 'the limit of what its tools may print',
};

/**
 * How a turn ended, for the model that goes on. The figures of a limit are left out: what a person would do about it is
 * nothing for a model, and by now it may be done.
 */
export function endedText({ reason, text }: Pick<EventOf<'turn-ended'>, 'reason' | 'text'>): string {
  const limit = limitNames[reason];
  return limit === undefined ? text : `It reached ${limit}. This message has its own.`;
}

const checkMark = '\n\nCheck: ';

/** The words of a model with what the check said of the work so far. */
export function withCheck(text: string, said: string): string {
  return `${text}${checkMark}${said}`;
}

export function withoutCheck(text: string): string {
  const at = text.lastIndexOf(checkMark);
  return at === -1 ? text : text.slice(0, at);
}

/** The size limits of the lists of files. */
const LIST_CHARACTERS = { sources: 1_800, tests: 900, others: 400 } as const;

/** Project facts that open the task for a model in the loop, enough to know where to look first. */
export function projectBrief(facts: ProjectFacts): string {
  const sources = listed(facts.sourceFiles, LIST_CHARACTERS.sources);
  const tests = listed(facts.testFiles, LIST_CHARACTERS.tests);
  const others = listed(facts.otherFiles ?? [], LIST_CHARACTERS.others);
  return [
    filesSentence(facts),
    sources === '' ? '' : `Source: ${sources}`,
    tests === '' ? '' : `Tests: ${tests}`,
    others === '' ? '' : `Other files: ${others}`,
    facts.test === null ? '' : `Test command: ${facts.test.command}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Lists paths by folder, so that no prefix is repeated: `src/app/: a.py, b.py; src/lib/: c.py`. */
function listed(paths: readonly string[], mostCharacters: number): string {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const cut = path.lastIndexOf('/') + 1;
    folders.set(path.slice(0, cut), [...(folders.get(path.slice(0, cut)) ?? []), path.slice(cut)]);
  }
  let shown = '';
  let count = 0;
  for (const [folder, names] of folders) {
    for (const [index, name] of names.entries()) {
      const before = index > 0 ? ', ' : `${shown === '' ? '' : '; '}${folder === '' ? '' : `${folder}: `}`;
      if (shown.length + before.length + name.length > mostCharacters)
        return `${shown} … and ${paths.length - count} more`;
      shown += before + name;
      count += 1;
    }
  }
  return shown;
}

function filesSentence({ fileCount, truncated }: ProjectFacts): string {
  if (fileCount === 0) return 'The project has no files yet.';
  if (fileCount === 1) return 'The project has 1 file.';
  return `The project has ${fileCount} files${truncated ? ' or more' : ''}.`;
}
