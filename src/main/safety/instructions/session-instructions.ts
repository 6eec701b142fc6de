import type { SessionEvent } from '@shared/events/events.ts';
import { createSessionAnswers, isRefused } from '../session-answers.ts';
import type { InstructionCheck, ProjectInstructions } from './project-instructions.ts';

/** Decides whether a session uses the instructions of its project. */
export interface SessionInstructions {
  /** `isRefused`: the user refused exactly these bytes in this session, and is not asked about them again in it. */
  readonly check: (path: string, bytes: Uint8Array) => Promise<InstructionCheck & { readonly isRefused: boolean }>;
  /** Stores the user's approval, outside the project. */
  readonly keep: (path: string, text: string) => Promise<void>;
}

export interface SessionInstructionsOptions {
  readonly project: Pick<ProjectInstructions, 'check' | 'keep'>;
  /** The project's folder; without a project, the session's workspace. */
  readonly folder: string;
  /** Reads the session's log. */
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

export function createSessionInstructions(options: SessionInstructionsOptions): SessionInstructions {
  const { project, folder, read } = options;
  const answers = createSessionAnswers();
  let seen = 0;
  const refused = async (sha256: string): Promise<boolean> => {
    for await (const event of read(seen + 1)) {
      if (event.seq <= seen) continue;
      answers.add(event);
      seen = event.seq;
    }
    return answers.all().some((one) => one.kind === 'instructions' && isRefused(one) && one.sha256 === sha256);
  };
  return {
    check: async (path, bytes) => {
      const look = await project.check(folder, path, bytes);
      return { ...look, isRefused: await refused(look.sha256) };
    },
    keep: (path, text) => project.keep(folder, path, text),
  };
}
