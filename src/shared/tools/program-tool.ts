import type { EventOf } from '@shared/events/events.ts';

/** The tool by which a model runs a program of its own. */
export const programToolName = 'run_program';

/** A program begins: one that a model wrote, or one that was kept. */
export function isProgramStart({ tool, foreign }: Pick<EventOf<'tool-started'>, 'tool' | 'foreign'>): boolean {
  return tool === programToolName || foreign?.isProgram === true;
}
