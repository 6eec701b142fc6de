import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { CommandContext } from '../command-context.ts';

/** A question that was shown in a conversation. */
export interface AskedQuestion {
  readonly event: EventOf<'approval-requested'>;
  /** By the clock of the program, in milliseconds. */
  readonly shownAt: number;
}

/** A conversation as its commands see it. */
export interface Chat {
  readonly context: CommandContext;
  readonly sessionId: string;
  readonly projectPath: string | null;
  options: RunOptions;
  /** What goes with the next message. */
  attached: readonly Attachment[];
  /** The turn that runs; text typed meanwhile waits for the agent. */
  running: Promise<void> | null;
  /** The cap at which the turn waits for an answer. */
  cap: EventOf<'cap-reached'> | null;
  /** What the turn waits for a yes or no to. */
  question: AskedQuestion | null;
  readonly say: (text: string, options: RunOptions) => Promise<void>;
  /** The keyboard belongs to another program meanwhile. */
  readonly withoutPrompt: <T>(work: () => Promise<T>) => Promise<T>;
  /** Where the next line is typed; nothing where nobody types. */
  readonly showPrompt: () => void;
}
