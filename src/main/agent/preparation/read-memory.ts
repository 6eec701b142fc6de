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

/**
 * The memory as models read it. Where not all lines fit, those come first that share words with `about`, the session's
 * first message, and then the newest. So a session is told the same lines until one changes. Undefined: there is none.
 */
export function memoryText(lines: readonly MemoryLine[], contextTokens: number, about: string): string | undefined {
  const asked = new Set(wordsOf(about));
  const ranked = lines
    .map(({ text, date }) => ({
      text,
      date: date ?? '',
      shared: wordsOf(text).filter((word) => asked.has(word)).length,
    }))
    .toSorted(
      (left, right) => right.shared - left.shared || (left.date < right.date ? 1 : left.date > right.date ? -1 : 0),
    );
  let left = roomFor(contextTokens);
  const told: string[] = [];
  for (const { text } of ranked) {
    const taken = text.length + 3;
    if (taken > left) continue;
    left -= taken;
    told.push(`- ${text}`);
  }
  return told.length === 0 ? undefined : `The user noted for every task:\n${told.join('\n')}`;
}

/** Short words say nothing about a subject. */
const shortestWord = 4;

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length >= shortestWord);
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
