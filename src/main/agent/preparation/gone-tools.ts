import type { Turn } from '../turn/turn.ts';
import type { TurnFacts } from './turn-facts.ts';

/**
 * Names the connected tools that this session called and that are there no more: switched off, changed or removed since.
 * Without this, a model answers the next question from what such a tool said about another one.
 */
export function goneTools(
  { options, dependencies: { journal } }: Pick<Turn, 'dependencies' | 'options'>,
  { connected = [] }: Pick<TurnFacts, 'connected'>,
): readonly string[] {
  if (options.assistant?.tools === 'off') return [];
  const there = new Set(connected.map(({ name }) => name));
  const called = new Set(journal.state().toolCalls.map(({ tool }) => tool));
  const gone = [...called].filter((tool) => tool.includes('__') && !there.has(tool));
  if (gone.length === 0) return [];
  return [
    `Not connected any more: ${gone.join(', ')}. If an answer needs it, say that it is off, and make nothing up.`,
  ];
}
