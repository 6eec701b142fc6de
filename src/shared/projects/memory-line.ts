/** A line that the user wants agents to know in later tasks. */
export interface MemoryLine {
  /** Names the line for `forget`: it follows from its words. */
  readonly id: string;
  readonly text: string;
  /** Such as 2026-11-29; null: the user wrote the line without one. */
  readonly date: string | null;
  /** The session that it comes from; null: the user wrote it. */
  readonly sessionId: string | null;
  /** An agent proposed it after it had read text from outside the project, such as a web page. */
  readonly isAfterOutside: boolean;
  /** The sessions in whose work it was of use; absent: none is known. */
  readonly uses?: readonly { readonly sessionId: string; readonly at: number }[];
  /** `you`: it counts in every project. */
  readonly of: 'you' | 'project';
}

/** What became of a line in the logs. */
export interface ForgetReport {
  /** How many logs held it. */
  readonly sessions: number;
  /** Sessions that work, so that their logs could not be changed. Forgetting it again finishes them. */
  readonly busy: readonly string[];
  /** It is too short to be looked for in logs. */
  readonly isTooShort: boolean;
}

export const longestMemoryLine = 300;
export const mostMemoryLines = 100;

/** A shorter text would be found in words that have nothing to do with it. */
export const minForgetLength = 8;

const forgottenStart = '[forgotten';

/**
 * A mark as long as the text that was forgotten. Quotes, line breaks and escapes stay, so that it is the same however
 * often JSON is read or written.
 */
export function forgetMark(text: string): string {
  const dots = text.replaceAll(/(\\+[^]|["\n\r\t])|[^]/gu, (_one, kept?: string) => kept ?? '.');
  const { length } = forgottenStart;
  const hasRoom = dots.length > length && dots.startsWith('.'.repeat(length)) && dots.endsWith('.');
  return hasRoom ? `${forgottenStart}${dots.slice(length, -1)}]` : dots;
}

/** The lines of the memory that an answer used, without those that were forgotten since. */
export function rememberedLines(used: readonly string[] = []): readonly string[] {
  return used.filter((line) => !isForgetMark(line));
}

/** Whether a line of a log was forgotten, so that its mark is left. */
export function isForgetMark(text: string): boolean {
  const rest = text.startsWith(forgottenStart) ? text.slice(forgottenStart.length) : text;
  return rest.includes('.') && !/[\p{L}\p{N}]/u.test(rest);
}
