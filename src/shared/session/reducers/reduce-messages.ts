import type { EventOf } from '@shared/events/events.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { usualPlace } from '@shared/session/session-state.ts';
import { isTag, mostTags } from '@shared/session/session-tags.ts';
import { shortenText, lastItems, textLimit } from '@shared/text/shorten-text.ts';
import { droppedGrantsText, isImportedHistory } from '@shared/safety/approval-grants.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { withNotice } from './session-notices.ts';

type Change = Partial<Pick<SessionState, 'chosen' | 'messages' | 'queued' | 'pending' | 'plan'>>;

/** The most messages in the state. */
const keptMessages = 200;

/** Folds the user's messages: they wait for a turn, are taken by one, or are dropped when the process ends. */
export function reduceMessages(
  state: SessionState,
  event: EventOf<
    'user-message-added' | 'options-chosen' | 'message-delivered' | 'message-dropped' | 'plan-edited' | 'turn-started'
  >,
): Change {
  const { messages, queued, pending } = state;
  if (event.type === 'plan-edited') return { plan: { turnId: event.planTurnId, steps: event.steps } };
  if (event.type === 'options-chosen') return { chosen: event.chosen };
  const { messageId } = event;
  switch (event.type) {
    case 'user-message-added': {
      const { text, at, seq, attachments, origin, chosen } = event;
      const given = {
        ...(attachments === undefined ? {} : { attachments }),
        ...(origin === undefined ? {} : { origin }),
        ...(chosen === undefined ? {} : { chosen }),
      };
      return {
        messages: lastItems(
          [...messages, { messageId, seq, text: shortenText(text, textLimit), at, ...given }],
          keptMessages,
        ),
        queued: event.queued ? [...queued, { messageId, seq, text, at, ...given }] : queued,
        pending: lastItems([...pending, messageId], keptMessages),
        ...(chosen === undefined ? {} : { chosen }),
      };
    }
    case 'message-delivered': {
      // Between two turns, a delivered message belongs to the next turn, and that one may never begin.
      const isTaken = state.turns.at(-1)?.reason === null;
      return { messages, queued: without(queued, messageId), pending: isTaken ? others(pending, messageId) : pending };
    }
    case 'message-dropped': {
      if (event.withdrawn === true) {
        const left = without(messages, messageId);
        return { messages: left, queued: without(queued, messageId), pending: others(pending, messageId) };
      }
      const dropped = messages.map((one) => (one.messageId === messageId ? { ...one, isDropped: true as const } : one));
      return { messages: dropped, queued: without(queued, messageId), pending: others(pending, messageId) };
    }
    case 'turn-started':
      return { messages, queued: without(queued, messageId), pending: others(pending, messageId) };
    default:
      return event satisfies never;
  }
}

function without<T extends { readonly messageId: string }>(messages: readonly T[], messageId: string): readonly T[] {
  return messages.filter((message) => message.messageId !== messageId);
}

function others(pending: readonly string[], messageId: string): readonly string[] {
  return pending.filter((id) => id !== messageId);
}

/** A field that the event does not have keeps its value. */
export function reduceOrganized(
  state: SessionState,
  event: EventOf<'session-organized' | 'session-moved' | 'folder-moved'>,
): Partial<SessionState> {
  if (event.type === 'session-moved') return reduceMoved(state, event);
  if (event.type === 'folder-moved') return reduceFolder(state, event);
  const { organized = usualPlace } = state;
  const { isPinned, isArchived, tags, savesCalls, seen = organized.seen } = event;
  return {
    organized: {
      isPinned: isPinned ?? organized.isPinned,
      isArchived: isArchived ?? organized.isArchived,
      tags: tags?.filter(isTag).slice(0, mostTags) ?? organized.tags,
      ...((savesCalls ?? organized.savesCalls) === true ? { savesCalls: true } : {}),
      ...(seen === undefined ? {} : { seen }),
    },
  };
}

/** A copy of the files stays where it is; only where its changes go to is another place. */
function reduceFolder(state: SessionState, { seq, at, from, to }: EventOf<'folder-moved'>): Partial<SessionState> {
  const { projectPath, workspace } = state;
  if (projectPath !== from) return {};
  const isIn = workspace?.mode === 'in-place' && workspace.path === from;
  return {
    projectPath: to,
    ...(isIn ? { workspace: { ...workspace, path: to } } : {}),
    ...withNotice(state, {
      seq,
      at,
      level: 'info',
      code: 'folder-moved',
      text: `The folder of the project lies at ${seenName(to)} now.`,
    }),
  };
}

/** What belongs to the message alone, such as how hard to think, stays chosen. */
function reduceMoved(
  state: SessionState,
  { seq, at, project, name, chosen }: EventOf<'session-moved'>,
): Partial<SessionState> {
  const { thinking } = state.chosen;
  const text =
    project === null
      ? 'Moved out of its project. From the next message on, your general settings apply.'
      : `Moved into the project ${seenName(name)}. From the next message on, its instructions and settings apply.`;
  return {
    project,
    chosen: { ...(thinking === undefined ? {} : { thinking }), ...chosen },
    ...withNotice(state, { seq, at, level: 'info', code: 'session-moved', text }),
  };
}

/**
 * Clears what a copied history leaves open: nobody here waits for its answers. A notice says which approvals were
 * dropped.
 */
export function reduceCopiedHistory(state: SessionState, event: EventOf<'history-copied'>): Partial<SessionState> {
  const { seq, at, changes, dropped } = event;
  const text = droppedGrantsText(dropped);
  return {
    sandbox: null,
    untracked: [],
    // These children belong to the original session.
    ...(state.children === undefined ? {} : { children: [] }),
    approvals: [],
    cap: null,
    ...(changes === 'settled' ? { changes: [], totals: { ...state.totals, changesLeftOut: 0 } } : {}),
    // What somebody else chose, such as a model in the cloud, is not chosen here.
    ...(isImportedHistory(event) ? { instructions: null, chosen: {}, plan: null } : {}),
    // The log of somebody else puts nothing into a project of this home.
    ...(isImportedHistory(event) && state.project !== undefined ? { project: null } : {}),
    ...copiedPlace(state, isImportedHistory(event)),
    ...(text === null ? {} : withNotice(state, { seq, at, level: 'info', code: 'grants-dropped', text })),
  };
}

/**
 * A fork keeps the tags of its parent but is not pinned. An imported session brings no tags. The end of a copied turn is
 * no news.
 */
function copiedPlace({ organized, turns }: SessionState, isImported: boolean): Partial<SessionState> {
  const seen = turns.at(-1)?.id;
  if (organized === undefined && seen === undefined) return {};
  const tags = isImported ? [] : (organized?.tags ?? []);
  return { organized: { ...usualPlace, tags, ...(seen === undefined ? {} : { seen }) } };
}

export function reduceRepaired(state: SessionState, event: EventOf<'session-repaired'>): Partial<SessionState> {
  const text = `The log was repaired: ${event.reason}.`;
  return withNotice(state, { ...event, level: 'warning', code: event.type, text });
}
