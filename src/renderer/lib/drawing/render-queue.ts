import { useEffect, useState } from 'react';

/** So many characters of Markdown are read in a frame, on the mean: a few milliseconds. */
const perFrame = 600;
/** A long text makes the others wait for no more frames than this. */
const mostFrames = 4;

interface Waiter {
  readonly characters: number;
  readonly isUrgent: boolean;
  readonly draw: () => void;
}

/** Nothing may be read before; see `giveTurns`. */
let isQueueStarted = false;
/** Read and not paid for by a frame yet. */
let pendingCharacters = 0;
let isFrameAsked = false;
const waiting = new Set<Waiter>();

/** What reads is there: those who wait get their turns, a frame after the other and not all at once. */
export function startRenderQueue(): void {
  isQueueStarted = true;
  if (waiting.size > 0) askFrame();
}

/** Whether a text may be read now; `isUrgent`: whatever else is. While it may not, draw what costs little in its place. */
export function useRenderQueue(characters: number, isUrgent: boolean): boolean {
  const [isDrawn, setIsDrawn] = useState(() => isQueueStarted && (isUrgent || take(characters)));
  useEffect(() => {
    if (isDrawn) return undefined;
    const waiter = { characters, isUrgent, draw: () => setIsDrawn(true) };
    waiting.add(waiter);
    if (isQueueStarted) askFrame();
    return () => void waiting.delete(waiter);
  }, [isDrawn, characters, isUrgent]);
  return isDrawn;
}

function take(characters: number): boolean {
  if (pendingCharacters >= perFrame) return false;
  pendingCharacters = Math.min(pendingCharacters + characters, mostFrames * perFrame);
  askFrame();
  return true;
}

function askFrame(): void {
  if (isFrameAsked) return;
  isFrameAsked = true;
  requestAnimationFrame(onFrame);
}

function onFrame(): void {
  isFrameAsked = false;
  pendingCharacters = Math.max(0, pendingCharacters - perFrame);
  // What came last is what is looked at now.
  for (const waiter of [...waiting].reverse()) {
    if (!waiter.isUrgent && !take(waiter.characters)) continue;
    waiting.delete(waiter);
    waiter.draw();
  }
  if (pendingCharacters > 0 || waiting.size > 0) askFrame();
}
