import type { SessionEvent } from '@shared/events/events.ts';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import type { MemoryPlace, MemoryProposalMode } from '@shared/projects/memory-proposal.ts';
import { isImportedHistory } from '@shared/safety/approval-grants.ts';
import type { ProjectSetup } from '../projects/configure-project.ts';
import type { MemoryFiles } from './memory-files.ts';

/** A line that the person said yes to. */
export interface KeptLine {
  readonly text: string;
  readonly place: MemoryPlace;
  /** It was proposed after text from outside the project was read. */
  readonly isAfterOutside: boolean;
}

/** The memory of one session: what its turns are told, and what its agent may propose. */
export interface ProjectMemory {
  readonly lines: () => Promise<readonly MemoryLine[]>;
  /**
   * Whether models may propose a line, with these lines there already. `isTold`: the person's own words say something to
   * keep, so that it may be the first line, and the session needs no project.
   */
  readonly takesProposals: (lines: readonly MemoryLine[], isTold?: boolean) => boolean;
  /** Whether the session has read text from outside the project, so that somebody else may be behind a proposal. */
  readonly hasReadOutside: () => Promise<boolean>;
  /** Keeps a line that the person said yes to. */
  readonly keep: (line: KeptLine) => Promise<void>;
  /** Notes that these lines were of use in a turn of the session. */
  readonly noteUse: (ids: readonly string[]) => Promise<void>;
}

export interface ProjectMemoryOptions {
  readonly files: MemoryFiles;
  /** Null: the session has no project. */
  readonly projectPath: string | null;
  readonly sessionId: string;
  readonly mode: () => MemoryProposalMode;
  readonly setup: Pick<ProjectSetup, 'change'>;
  /** The events of the session, from its first on. */
  readonly read: () => AsyncIterable<SessionEvent>;
  /** The tools that read from the web, by name. */
  readonly webTools: readonly string[];
  readonly now: () => number;
}

export function createProjectMemory(options: ProjectMemoryOptions): ProjectMemory {
  const { files, projectPath, sessionId } = options;
  return {
    lines: () => files.list(projectPath),
    noteUse: (ids) => files.noteUse(ids, { sessionId, at: options.now() }),
    takesProposals: (lines, isTold = false) => {
      const mode = options.mode();
      if (isTold) return mode !== 'off';
      return projectPath !== null && (mode === 'on' || (mode === 'auto' && lines.length > 0));
    },
    hasReadOutside: async () => {
      for await (const event of options.read()) {
        if (isFromOutside(event, options.webTools)) return true;
      }
      return false;
    },
    keep: async ({ text, place, isAfterOutside }) => {
      if (place === 'settings' && projectPath !== null) {
        await options.setup.change(projectPath, { type: 'test-command', command: text });
        return;
      }
      const date = new Date(options.now()).toISOString().slice(0, 10);
      await files.add(place === 'you' ? null : projectPath, { text, date, sessionId, isAfterOutside });
    },
  };
}

/** Whether an event brought text that neither the person nor the project wrote. */
function isFromOutside(event: SessionEvent, webTools: readonly string[]): boolean {
  switch (event.type) {
    case 'tool-started':
      return event.connected !== undefined || webTools.includes(event.tool);
    case 'network-used':
      return event.isAllowed && event.receivedBytes > 0;
    case 'history-copied':
      return isImportedHistory(event);
    // What another agent read stands in a log of its own.
    case 'child-session-started':
      return true;
    default:
      return false;
  }
}
