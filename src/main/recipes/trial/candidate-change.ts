import type { Span } from '../code/code-spans.ts';

/** How a candidate was made. It decides the confidence and is shown to the user. */
export type Origin = 'mechanical' | 'fix' | 'body' | 'insert';

export interface FileText {
  readonly path: string;
  readonly text: string;
}

/** One possible change: complete new texts of one or two files, on top of the base of the trial. */
export interface Candidate {
  readonly files: readonly FileText[];
  readonly origin: Origin;
  /** For the user: "add(): - to + in line 2". */
  readonly label: string;
  readonly span: Span | null;
}

/** A key for texts that are equal except for white space, so that they are tested only once. */
export function candidateKey(candidate: Pick<Candidate, 'files'>): string {
  return candidate.files.map((file) => `${file.path}\0${file.text.replaceAll(/\s+/g, ' ')}`).join('\0\0');
}

export const withoutComments = (text: string): string => text.replaceAll(/(^|\s)(#|\/\/)[^\n]*/g, '$1');

/** A text without comments and with white space collapsed. Two answers with the same key mean the same. */
export function codeKeyOf(text: string): string {
  return withoutComments(text).replaceAll(/\s+/g, ' ');
}

/** The code of a candidate without white space and comments. */
export function candidateCodeKey(candidate: Candidate): string {
  return candidate.files.map((file) => `${file.path}\0${codeKeyOf(file.text)}`).join('\0\0');
}
