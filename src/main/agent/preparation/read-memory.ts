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
 * The memory as models read it. Where not all lines fit, those come first that share words with the session's first
 * message, then those that were of use in the most sessions, then the newest. Last come old ones that were of no use for
 * long. What happened since the session began does not count, so it is told the same lines until one changes. Undefined:
 * there is none.
 */
export function memoryText(
  lines: readonly MemoryLine[],
  contextTokens: number,
  { about, began }: { readonly about: string; readonly began: number },
): string | undefined {
  const asked = new Set(wordsOf(about));
  const ranked = lines
    .map(({ text, date, uses = [] }) => {
      const before = uses.filter(({ at }) => at < began);
      const last = Math.max(date === null ? began : Date.parse(date), ...before.map(({ at }) => at));
      return {
        text,
        date: date ?? '',
        shared: wordsOf(text).filter((word) => asked.has(word)).length,
        uses: before.length,
        isStale: began - last > longUnusedMs,
      };
    })
    .toSorted(
      (left, right) =>
        right.shared - left.shared ||
        Number(left.isStale) - Number(right.isStale) ||
        right.uses - left.uses ||
        (left.date < right.date ? 1 : left.date > right.date ? -1 : 0),
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

const longUnusedMs = 90 * 24 * 60 * 60_000;

/** Whether the words of a line are found in what a model said and did: half of them, and two at least. */
function isOfUse(text: string, said: ReadonlySet<string>): boolean {
  const words = wordsOf(text);
  const found = words.filter((word) => said.has(word)).length;
  return found >= Math.max(Math.min(2, words.length), Math.ceil(words.length / 2)) && words.length > 0;
}

/** Notes which lines of the memory were of use in a turn that ended well. A replay notes nothing. */
export async function noteMemoryUse(
  { id: turnId, dependencies: { project, effects, journal }, prompt }: Pick<Turn, 'id' | 'dependencies' | 'prompt'>,
  memory: string,
): Promise<void> {
  if (effects.replaying) return;
  const told = (await project.memory.lines()).filter(({ text }) => memory.includes(`- ${text}`));
  const turn = journal.state().turns.findLast(({ id }) => id === turnId);
  if (told.length === 0 || turn === undefined) return;
  // An earlier turn has noted what was of use in it.
  const said = prompt.conversation
    .entries()
    .flatMap((entry) => (entry.type === 'assistant' && entry.seq > turn.seq ? [JSON.stringify(entry.parts)] : []))
    .join('\n')
    .replaceAll(/\\[nrt]/gu, ' ');
  const words = new Set(wordsOf(said));
  const ids = told.filter(({ text }) => isOfUse(text, words)).map(({ id }) => id);
  if (ids.length > 0) await project.memory.noteUse(ids);
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
