import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { CoreClient } from '../connection/core-client.ts';
import { failureText } from '../connection/failure-text.ts';
import type { ModelPick } from './model-options.ts';
import { interactiveOptions } from '../session/interactive-options.ts';
import type { SendOptions } from '../session/session-commands.ts';
import { createSharedValue, setEntry, useSharedValue } from '../window/shared-value.ts';

/** More columns are too narrow to read. */
export const mostBeside = 4;

/** One answer of several to the same question: a branch of the talk, or why there is none. */
export interface BesideColumn {
  /** Null: the branch could not be made. */
  readonly sessionId: string | null;
  /** The question, as this branch has it. Null: it did not get there. */
  readonly messageId: string | null;
  /** The models that were asked. Absent: the log says it. */
  readonly pick?: ModelPick;
  readonly problem?: string;
}

/** Answers that are shown beside each other. */
export interface Beside {
  readonly text: string;
  readonly columns: readonly BesideColumn[];
  /** How the person had messages read, which the question does not change. Absent: it was asked another time. */
  readonly mode?: TaskMode | null;
}

/** What is shown, by each of its sessions, while the window is open. The log has the branches. */
const shown = createSharedValue<ReadonlyMap<string, Beside>>(new Map());

export function useBeside(sessionId: string): Beside | null {
  return useSharedValue(shown).get(sessionId) ?? null;
}

export function showBeside(beside: Beside): void {
  for (const { sessionId } of beside.columns) if (sessionId !== null) setEntry(shown, sessionId, beside);
}

export function hideBeside({ columns }: Beside): void {
  for (const { sessionId } of columns) if (sessionId !== null) setEntry(shown, sessionId, null);
}

/** A model that is asked, with all options of its message. */
export interface AskedWay {
  readonly pick: ModelPick;
  readonly options: SendOptions;
}

interface Question {
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly mode: TaskMode | null;
  /** The first one is asked in the session itself, each other one in a branch of it. */
  readonly ways: readonly AskedWay[];
}

/**
 * Asks each way. A way that cannot be asked leaves the others running, and its column says why. Rejects with the first
 * failure if none could be asked.
 */
export async function askBeside(client: CoreClient, question: Question): Promise<Beside> {
  const { sessionId, text, attachments, mode, ways } = question;
  // A session at work cannot be branched, so all branches come before the first message.
  const places = await Promise.allSettled(
    ways.map(async (_, at) =>
      at === 0 ? sessionId : (await client.sessions.fork({ sessionId, isBranch: true })).sessionId,
    ),
  );
  const sent = await Promise.allSettled(
    places.map(async (place, at) => {
      if (place.status === 'rejected') throw place.reason;
      const options = { ...interactiveOptions, ...ways[at]?.options };
      return client.sessions.send({ sessionId: place.value, text, options, attachments: [...attachments] });
    }),
  );
  const failures = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failures.length === ways.length) throw failures[0];
  const columns = ways.map(({ pick }, at): BesideColumn => {
    const [place, message] = [places[at], sent[at]];
    return {
      pick,
      sessionId: place?.status === 'fulfilled' ? place.value : null,
      messageId: message?.status === 'fulfilled' ? message.value.messageId : null,
      ...(message?.status === 'rejected' ? { problem: failureText(message.reason) } : {}),
    };
  });
  return { text, columns, mode };
}

/** Stops all that still answer, but one. Returns those that it stopped. */
export async function stopBeside(
  client: CoreClient,
  { columns }: Beside,
  but: string | null = null,
): Promise<readonly string[]> {
  const others = columns.flatMap(({ sessionId, messageId }) =>
    sessionId === null || sessionId === but || messageId === null ? [] : [sessionId],
  );
  await Promise.all(others.map((sessionId) => client.sessions.cancel({ sessionId })));
  return others;
}

/**
 * Makes one branch the one that its talk opens with. Those that still answer are stopped, and keep what they said. The
 * choice is the last event, so a list shows this branch.
 */
export async function goOnWith(
  client: CoreClient,
  beside: Beside,
  { sessionId, chosen }: { readonly sessionId: string; readonly chosen: ChosenOptions },
): Promise<void> {
  const others = await stopBeside(client, beside, sessionId);
  if (others.length > 0) await client.sessions.organize({ sessionIds: [...others], isSeen: true });
  await client.sessions.choose({ sessionId, chosen });
}
