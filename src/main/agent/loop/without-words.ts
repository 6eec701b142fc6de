import { isRecord } from '@shared/unknown-value.ts';
import type { Tool } from '../../tools/define.ts';

/** Arguments of the built-in tools that a person reads and that change nothing of what a call does. */
const words: readonly string[] = ['why'];

/**
 * The arguments of a call without those that are only words for the person, and without space around a command. A
 * connected tool keeps all of its own.
 */
export function withoutWords({ connected }: Pick<Tool, 'connected'>, input: unknown): unknown {
  if (connected !== undefined) return input;
  return plain(input);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !words.includes(name))
      .map(([name, inner]) => [name, name === 'command' && typeof inner === 'string' ? inner.trim() : plain(inner)]),
  );
}
