import type { Attachment } from '@shared/attachments/attachment.ts';
import type { Part } from '@shared/models/model-messages.ts';

/** Something that the user attached to a message. `bytes` is null if its file is gone. */
export interface AttachedFile {
  readonly attachment: Attachment;
  readonly bytes: Uint8Array | null;
  /** The drawn pages of a document, for a model that sees. Null in place of one that is gone. Absent: none. */
  readonly scans?: readonly (Uint8Array | null)[];
}

/** One entry of the conversation, before it is rendered for a model's call style. */
export type Entry = UserEntry | AssistantEntry;

export interface UserEntry {
  readonly type: 'user';
  readonly seq: number;
  /** The whole text: what was said, and the notes of Dewpoint below it. */
  readonly text: string;
  /** What the user said; absent: nothing. */
  readonly said?: string;
  /** The notes of Dewpoint, in a block of their own. */
  readonly notes?: readonly string[];
  /** The user's attachments: images, and texts as data. */
  readonly attached?: readonly AttachedFile[];
}

export interface AssistantEntry {
  readonly type: 'assistant';
  readonly seq: number;
  /**
   * What the model wrote, part by part and unchanged, so that the engine finds its tokens in its cache. Reasoning is
   * kept only where the service wants it back.
   */
  readonly parts: readonly Part[];
  /** The model call that gave the answer; absent: none did. */
  readonly callId?: string;
  readonly calls: readonly CallEntry[];
}

export interface CallEntry {
  readonly toolCallId: string;
  /** The id of the part that holds the call; absent for a call as text. */
  readonly partId?: string;
  readonly tool: string;
  readonly input: unknown;
  /** Null: the call never ended (it was cancelled, or the program crashed). */
  readonly result: CallResult | null;
}

export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly keepTokens: number | null;
  /** How to read what is left out. */
  readonly rest?: string;
  /** An equal result that the conversation shows, so that a line stands for this one. Absent: it is shown itself. */
  readonly above?: { readonly toolCallId: string; readonly answersBack: number };
  /** Images in the result; shown until the result is shortened. */
  readonly pictures?: readonly AttachedFile[];
}

/** A message of the user and how its turn ended, as a follow-up ("And why?") refers to it. */
export interface Exchange {
  readonly asked: string;
  readonly answered: string;
}
