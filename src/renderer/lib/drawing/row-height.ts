import { canvasToolName } from '@shared/tools/canvas.ts';
import type { ConversationRow } from '../session/conversation-rows.ts';
import { foldedText } from './folded-text.ts';

const linePx = 24;
const blockPx = 14;
const lineCharacters = 76;

/** The estimated height of a row in pixels, before it is measured. A good estimate avoids movement. */
export function rowHeight(row: ConversationRow): number {
  switch (row.type) {
    case 'message':
      return 64 + keptHeight(row.message, foldedText(row.message.text) ?? row.message.text, lineCharacters * 0.8);
    case 'said':
      return 8 + keptHeight(row, row.text, lineCharacters);
    case 'after':
      return row.timeline.turn.reason === null ? 8 : 32 + keptHeight(row.timeline.turn, row.text, lineCharacters);
    case 'ran':
      return 24 + planHeight(row.timeline.planItems?.length ?? 0);
    case 'before':
      return 44;
    case 'notice':
      return 50;
    case 'earlier':
    case 'gap':
    case 'set-aside':
    case 'restored':
      return 48;
    case 'step':
    case 'action':
    case 'stage':
    case 'note':
    case 'check':
      return 28;
    case 'outline':
    case 'work':
      return 36;
    case 'drawn':
      return row.call.tool === canvasToolName ? 360 : 140;
    case 'live':
      return 8 + keptHeight(row.step, row.step.end?.text ?? '', lineCharacters);
    default:
      return row satisfies never;
  }
}

const known = new WeakMap<object, { readonly text: string; readonly height: number }>();

function planHeight(items: number): number {
  return items === 0 ? 0 : 46 + 22 * items;
}

/** Caches the height for as long as `owner` has this text. */
function keptHeight(owner: object, text: string, width: number): number {
  if (text === '') return 0;
  const counted = known.get(owner);
  if (counted?.text === text) return counted.height;
  const height = textHeight(text, width);
  known.set(owner, { text, height });
  return height;
}

/** The estimated height of a model's text, in pixels. */
export function textHeight(text: string, width = lineCharacters): number {
  let height = 0;
  for (const line of text.split('\n')) height += line === '' ? blockPx : linePx * Math.ceil(line.length / width);
  return height;
}
