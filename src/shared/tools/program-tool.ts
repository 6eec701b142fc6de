import type { EventOf } from '@shared/events/events.ts';

/** The tool by which a model runs a program of its own. */
export const programToolName = 'run_program';

/** What a program of a model may be written in; one that says nothing is Python. */
export const programLanguages = ['python', 'javascript'] as const;
export type ProgramLanguage = (typeof programLanguages)[number];

/** As the file of a kept program ends. */
export const programEndings = { python: '.py', javascript: '.mjs' } as const satisfies Readonly<
  Record<ProgramLanguage, string>
>;

/** Of a kept program, by its file; null: no program is called so. */
export function programLanguageOf(file: string): ProgramLanguage | null {
  return programLanguages.find((language) => file.endsWith(programEndings[language])) ?? null;
}

/** A program begins: one that a model wrote, or one that was kept. */
export function isProgramStart({ tool, foreign }: Pick<EventOf<'tool-started'>, 'tool' | 'foreign'>): boolean {
  return tool === programToolName || foreign?.isProgram === true;
}
