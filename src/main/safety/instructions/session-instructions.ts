import type { SessionEvent } from '@shared/events/events.ts';
import { createSessionAnswers, isRefused } from '@shared/safety/session-answers.ts';
import type { InstructionCheck, ProjectInstructions } from './project-instructions.ts';

/** Who decides whether the instructions of a session's project are used. */
export interface SessionInstructions {
  /** `isRefused`: a person has said no to these very bytes in this session and is not asked about them again in it. */
  readonly check: (path: string, bytes: Uint8Array) => Promise<InstructionCheck & { readonly isRefused: boolean }>;
  /** Keeps a person's yes, outside of the project. */
  readonly keep: (path: string, text: string) => Promise<void>;
}

export interface SessionInstructionsOptions {
  readonly project: Pick<ProjectInstructions, 'check' | 'keep'>;
  /** The project's folder; where a session has none, its workspace. */
  readonly folder: string;
  /** The session's log. */
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

export function createSessionInstructions(options: SessionInstructionsOptions): SessionInstructions {
  const { project, folder, read } = options;
  return {
    check: async (path, bytes) => {
      const look = await project.check(folder, path, bytes);
      return { ...look, isRefused: (await refusedIn(read(1))).has(look.sha256) };
    },
    keep: (path, text) => project.keep(folder, path, text),
  };
}

async function refusedIn(events: AsyncIterable<SessionEvent>): Promise<ReadonlySet<string>> {
  const answers = createSessionAnswers();
  for await (const event of events) answers.add(event);
  const refused = answers.all().filter((one) => one.kind === 'instructions' && isRefused(one));
  return new Set(refused.map(({ sha256 }) => sha256));
}
