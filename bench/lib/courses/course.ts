import type { RunOptions } from '@shared/session/run-options.ts';
import type { Asked, Answer, Script } from './scripted-models.ts';

/** Paths with their texts. */
export type Files = Readonly<Record<string, string>>;

/** What the person does. A message is waited for until its turn has ended, unless it comes in the middle of one. */
export type Move =
  | { readonly say: string; readonly options?: Partial<RunOptions> }
  | { readonly set: readonly [key: string, value: unknown] }
  | { readonly cancel: true }
  /** Dewpoint is closed and opened again. */
  | { readonly restart: true };

/** A task in which a person, a model or a limit does something unexpected. */
export interface Course {
  readonly name: string;
  readonly files?: Files;
  readonly policy: 'cloud' | 'local' | 'hybrid';
  /** Scripts of the models by their names, the chosen one first. */
  readonly cloud?: Readonly<Record<string, Script>>;
  readonly local?: Readonly<Record<string, Script>>;
  /** The local model is the real starter. */
  readonly hasStarter?: true;
  readonly options?: Partial<RunOptions>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly does: readonly [Move, ...Move[]];
  /** What the person does while a model works on an answer, by the name that the answer gives. */
  readonly meanwhile?: Readonly<Record<string, readonly Move[]>>;
  /** The person stops the first message so long after it. */
  readonly stopsAfterMs?: number;
  /** What the person says to a question for an approval. Absent: nobody is there. */
  readonly approves?: 'allow' | 'deny';
  /** What the person answers to a question of the model, while it works. */
  readonly answers?: string;
  /** The person raises a spending limit by so many dollars, once. */
  readonly raises?: number;
  /**
   * A tool answers falsely, for an experiment: a command of this form prints this in place of what it does. The sandbox
   * says so in its description, which is in the log.
   */
  readonly lies?: { readonly command: RegExp; readonly prints: string };
  readonly expected: Expected;
}

export interface Expected {
  /** Why the last turn ended. Several: each of them is right. */
  readonly end: string | readonly string[];
  /** All of it is in what the person sees at the end. */
  readonly says?: readonly RegExp[];
  readonly never?: readonly RegExp[];
  /** Files that differ from the project at the end; null: deleted. All others are as they were. */
  readonly files?: Readonly<Record<string, string | RegExp | null>>;
  /** Further files that may be made, by their path. */
  readonly made?: RegExp;
  /** Laid over the project after the end, to judge it: the command must pass. */
  readonly judge?: {
    readonly files: Files;
    readonly command: string;
    /** Only if the end claims that it is right: tests or a review said so. */
    readonly ifSure?: true;
  };
  /** The most calls that are paid for. Absent: as many as the cloud models have answers. */
  readonly paid?: number;
  /** The only models that are called. */
  readonly models?: readonly string[];
  /** What the course asks of the requests. Returns what is wrong. */
  readonly asked?: (asked: readonly Asked[]) => string | null;
  /** The ends of all turns, where there are several. */
  readonly ends?: readonly string[];
}

/** The exit status of the command line for each end, as a person would want it. */
export const exitOf: Readonly<Record<string, number>> = {
  done: 0,
  answered: 0,
  planned: 0,
  incomplete: 1,
  'gave-up': 1,
  'check-failed': 1,
  fenced: 1,
  'step-limit': 1,
  'time-limit': 1,
  'token-limit': 1,
  'output-limit': 1,
  'tool-call-limit': 1,
  'repeated-call': 1,
  'alternating-calls': 1,
  'repeated-rejection': 1,
  error: 1,
  cap: 3,
  'needs-approval': 4,
  missing: 5,
  waiting: 6,
  cancelled: 130,
};

export const call = (name: string, input: unknown, text = ''): Answer => ({ text, calls: [{ name, input }] });
export const read = (path: string): Answer => call('read_file', { path });
export const write = (path: string, content: string): Answer => call('write_file', { path, content });
export const edit = (path: string, old: string, next: string): Answer => call('edit_file', { path, old, new: next });
export const run = (command: string): Answer => call('run_command', { command });
export const done = (summary: string): Answer => call('task_complete', { summary });
export const blocked = (summary: string): Answer => call('task_complete', { summary, status: 'blocked' });
export const says = (text: string): Answer => ({ text });
/** Several answers as one. */
export const both = (...all: readonly Answer[]): Answer => ({
  text: all.map(({ text = '' }) => text).join(''),
  calls: all.flatMap((answer) => answer.calls ?? []),
});

/** Whether the last request has all of this. */
export const lastHas =
  (...patterns: readonly RegExp[]) =>
  (asked: readonly Asked[]): string | null => {
    const text = asked.at(-1)?.text ?? '';
    const missing = patterns.find((pattern) => !pattern.test(text));
    return missing === undefined ? null : `the last request lacks ${missing.source}`;
  };
