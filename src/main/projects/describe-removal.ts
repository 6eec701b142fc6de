import type { ProjectPage, ProjectRemoval } from '@shared/projects/project-page.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';

/** What belongs to a project, as far as a removal concerns it. */
export interface ProjectContents {
  readonly talks: number;
  readonly memoryLines: number;
  /** The file with the lines of its memory. */
  readonly memoryFile: string | null;
  /** Files that the user added to be always at hand. */
  readonly knowledge: number;
  /** Prompt templates that the user keeps with it. */
  readonly prompts: number;
}

/** What deleting a project takes away and what stays, in sentences for the user. */
export function describeRemoval({ key, head, instructions }: ProjectPage, has: ProjectContents): ProjectRemoval {
  const { talks, memoryLines, memoryFile, knowledge, prompts } = has;
  const hasFolder = !hasNoFolder(key);
  const lost = [
    ...(head === null ? [] : [hasFolder ? 'Its name and icon' : 'Its name, its icon, and what is set for it']),
    ...(instructions.text === '' ? [] : ['Your instructions for it']),
    ...(prompts === 0 ? [] : [prompts === 1 ? '1 prompt of its own' : `${prompts} prompts of its own`]),
    ...((head?.assistant ?? null) === null && (head?.mode ?? null) === null
      ? []
      : ['The assistant and the mode of new sessions']),
  ];
  const kept = [
    ...(talks === 0
      ? []
      : [talks === 1 ? '1 session, with all that it said' : `${talks} sessions, with all that they said`]),
    ...(hasFolder ? [`The folder ${key}, with all files, and what is set for it`] : []),
    ...(memoryLines === 0
      ? []
      : [`${memoryLines === 1 ? '1 line' : `${memoryLines} lines`} of memory, in ${memoryFile ?? 'the home'}`]),
  ];
  if (knowledge > 0) kept.push(`Its knowledge, in the home: ${knowledge === 1 ? '1 file' : `${knowledge} files`}`);
  return { key, lost, kept };
}
