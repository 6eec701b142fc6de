import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import type { EngineCards } from '../engine/worker/worker-protocol.ts';
import { sizeText } from '@shared/text/size-text.ts';

/**
 * Combines the engine's view of the cards with the view of the vendors' tools. The engine's wins, because it is what
 * the engine can use. It reports only one sum, so for several cards the tools say what each has. If the two differ,
 * both numbers are shown. `seen` is null if the engine was not asked, or sees no card.
 */
export function withEngineView(found: readonly DeviceMemory[], seen: EngineCards | null): readonly DeviceMemory[] {
  if (seen === null || seen.names.length === 0) return found;
  // Memory that is shared with the host counts as the host's.
  const isMetal = seen.backend === 'metal';
  const shared = isMetal ? 0 : seen.sharedBytes;
  const totalBytes = seen.totalBytes - shared;
  if (totalBytes <= 0) return found;
  const freeBytes = Math.max(0, Math.min(totalBytes, seen.freeBytes - shared));
  const [name = 'card', ...others] = seen.names;
  if (others.length > 0) return severalCards(found, { ...seen, totalBytes, freeBytes });
  const known = found.find((card) => isSame(card.name, name)) ?? (found.length === 1 ? found[0] : undefined);
  return [
    {
      name: known?.name ?? name,
      totalBytes,
      freeBytes,
      // The engine has started on the card, so its driver's memory is no longer counted as free.
      driverBytes: 0,
      isUnified: isMetal,
      source: isMetal ? 'metal' : 'engine',
      confidence: shared > 0 ? 'medium' : 'high',
      note: notesOf(found, known, freeBytes),
    },
  ];
}

function notesOf(found: readonly DeviceMemory[], known: DeviceMemory | undefined, freeBytes: number): string | null {
  const left = found.filter((card) => card !== known).map(({ name }) => name);
  const notes = [
    ...(known === undefined || near(known.freeBytes, freeBytes)
      ? []
      : [`${known.source} says ${sizeText(known.freeBytes)} free, the engine ${sizeText(freeBytes)}.`]),
    ...(left.length === 0 ? [] : [`The engine does not use ${left.join(', ')}.`]),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}

function severalCards(found: readonly DeviceMemory[], seen: EngineCards): readonly DeviceMemory[] {
  const sum = found.reduce((total, card) => total + card.totalBytes, 0);
  if (found.length === seen.names.length && near(sum, seen.totalBytes)) return found;
  const count = seen.names.length;
  return seen.names.map((name) => ({
    name,
    totalBytes: Math.floor(seen.totalBytes / count),
    freeBytes: Math.floor(seen.freeBytes / count),
    driverBytes: 0,
    isUnified: false,
    source: 'engine',
    confidence: 'low',
    note: `The engine reports one sum for ${count} cards; each counts as an equal part.`,
  }));
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [left.toLowerCase(), right.toLowerCase()];
  return one.includes(other) || other.includes(one);
}

/** Tools and engine read at different moments, and a driver keeps some memory of a card for itself. */
function near(left: number, right: number): boolean {
  return Math.abs(left - right) <= Math.max(left, right) * 0.06;
}
