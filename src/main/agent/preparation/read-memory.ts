import type { MemoryLine } from '@shared/projects/memory-line.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { folderInstructionsName } from '../prompt/loaded-skills.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, Turn } from '../turn/turn.ts';
import type { TurnFacts } from './turn-facts.ts';

/** The path by which fences know the memory: a fence for it keeps it from the cloud. */
const memoryPath = '.dewpoint/memory.md';

/** A fortieth of the context, counted with three characters a token. */
const roomFor = (contextTokens: number): number => Math.min(4_000, Math.floor((contextTokens / 40) * 3));

/** The memory as models read it, the newest lines first where not all fit. Undefined: there is none. */
export function memoryText(lines: readonly MemoryLine[], contextTokens: number): string | undefined {
  const newest = lines.toSorted((left, right) => ((left.date ?? '') < (right.date ?? '') ? 1 : -1));
  let left = roomFor(contextTokens);
  const told: string[] = [];
  for (const { text } of newest) {
    left -= text.length + 3;
    if (left < 0) break;
    told.push(`- ${text}`);
  }
  return told.length === 0 ? undefined : `The user noted for every task:\n${told.join('\n')}`;
}

/** Tells the memory once as long as the conversation shows it as it is now. */
export async function readMemory(
  turn: ActingTurn & Pick<Turn, 'prompt'>,
  memory: NonNullable<TurnFacts['memory']>,
): Promise<void> {
  const mark = `memory ${sha256Of(memory)}`;
  if (turn.prompt.conversation.folderNotes().includes(mark)) return;
  await takeAction(
    turn,
    {
      tool: folderInstructionsName,
      label: 'read the memory',
      input: { path: memoryPath },
      run: async () => ({ status: 'ok', output: memory, data: { path: mark } }),
    },
    () => null,
  );
}
