import type { EventOf } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** The tool with which a model runs a program that it wrote. */
export const programToolName = 'run_program';

/** The languages for a model's program. The default is Python. */
export const programLanguages = ['python', 'javascript'] as const;
export type ProgramLanguage = (typeof programLanguages)[number];

/** The file ending of a kept program, by language. */
export const programEndings = { python: '.py', javascript: '.mjs' } as const satisfies Readonly<
  Record<ProgramLanguage, string>
>;

/** The language of a kept program, by its file name; null for any other file. */
export function programLanguageOf(file: string): ProgramLanguage | null {
  return programLanguages.find((language) => file.endsWith(programEndings[language])) ?? null;
}

/** Whether a call starts a program: one that a model just wrote, or a kept one. */
export function isProgramStart({ tool, connected }: Pick<EventOf<'tool-started'>, 'tool' | 'connected'>): boolean {
  return tool === programToolName || connected?.isProgram === true;
}

/** Whether anything among these calls is a program of a model. */
export function hasPrograms({ toolCalls }: Pick<SessionState, 'toolCalls'>): boolean {
  return toolCalls.some(({ tool, inner }) => tool === programToolName || inner !== undefined);
}
