import type { EventOf } from '@shared/events/events.ts';
import type { ChangeState } from '@shared/session/file-change-state.ts';
import { reduceChange, reduceHunksTaken, reviewChange } from '@shared/session/file-change-state.ts';
import type { SessionState, ToolCallState } from '@shared/session/session-state.ts';
import { changeLastMatch } from '@shared/text/shorten-text.ts';
import { isPictureName } from '@shared/tools/canvas.ts';
import { keptCounts } from './kept-counts.ts';

type Change = Partial<SessionState>;

export function fileChanged(state: SessionState, event: EventOf<'file-changed'>): Change {
  return { ...changeAdded(state, event), ...pictureMade(state, event) };
}

/** Shows a picture in the row of the call that made it. */
function pictureMade(state: SessionState, { toolCallId, path, after, by }: EventOf<'file-changed'>): Change {
  if (toolCallId === null || (by !== 'model' && by !== 'recipe')) return {};
  if (after?.kept !== true || !isPictureName(path)) return {};
  const fits = (call: ToolCallState): boolean => call.toolCallId === toolCallId;
  const add = (call: ToolCallState): ToolCallState => {
    const { pictures = [] } = call;
    const isFull = pictures.includes(path) || pictures.length >= keptCounts.pictures;
    return isFull ? call : { ...call, pictures: [...pictures, path] };
  };
  if (state.actions.some(fits)) return { actions: changeLastMatch(state.actions, fits, add) };
  return { toolCalls: changeLastMatch(state.toolCalls, fits, add) };
}

function changeAdded(state: SessionState, event: EventOf<'file-changed'>): Change {
  const fits = (change: ChangeState): boolean => change.path === event.path;
  if (state.changes.some(fits))
    return { changes: changeLastMatch(state.changes, fits, (change) => reduceChange(change, event)) };
  if (state.changes.length >= keptCounts.changes) {
    return { totals: { ...state.totals, changesLeftOut: state.totals.changesLeftOut + 1 } };
  }
  return { changes: [...state.changes, reduceChange(undefined, event)] };
}

export function hunksTaken(state: SessionState, event: EventOf<'hunks-taken'>): Change {
  return {
    changes: state.changes.map((change) => (change.path === event.path ? reduceHunksTaken(change, event) : change)),
  };
}

export function changesTaken(state: SessionState, { paths }: EventOf<'changes-taken'>): Change {
  return { changes: state.changes.map((change) => (paths.includes(change.path) ? reviewChange(change) : change)) };
}
