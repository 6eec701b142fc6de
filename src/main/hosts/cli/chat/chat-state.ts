import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EventOf } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { CommandContext } from '../../text/command-context.ts';

/** The state of a conversation, for its commands. */
export interface Chat {
  readonly context: CommandContext;
  readonly sessionId: string;
  /** The folder that its tasks work in. */
  readonly projectPath: string | null;
  /** The key of its project: the folder, or `project:ID`. */
  readonly project: string | null;
  options: RunOptions;
  /** Attachments of the next message. */
  attached: readonly Attachment[];
  /** The running turn. Text that is typed meanwhile waits for the agent. */
  running: Promise<void> | null;
  /** The spending limit at which the turn waits for an answer. */
  cap: EventOf<'cap-reached'> | null;
  /** The questions that the turn waits for, the oldest first. Only the oldest is shown and can be answered. */
  questions: readonly EventOf<'approval-requested'>[];
  /** Nobody is at the keyboard any more, so nobody answers. */
  isLeft?: true;
  /** When the first question was shown, in milliseconds, by `context.now`. */
  shownAt: number;
  readonly say: (text: string, options: RunOptions) => Promise<void>;
  /** Gives the keyboard to another program during the work. */
  readonly withoutPrompt: <T>(work: () => Promise<T>) => Promise<T>;
  /** Shows the prompt for the next line. Does nothing if nobody is typing. */
  readonly showPrompt: () => void;
}
