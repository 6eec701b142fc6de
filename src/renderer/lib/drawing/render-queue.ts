import { useEffect, useState } from 'react';

/** The average number of Markdown characters per frame, which takes a few milliseconds. */
const perFrame = 600;
/** A long text delays the others by at most this many frames. */
const mostFrames = 4;

interface Waiter {
  readonly characters: number;
  readonly isUrgent: boolean;
  readonly draw: () => void;
}

/** Nothing is parsed before the parser is loaded; see `startRenderQueue`. */
let isQueueStarted = false;
/** Characters that were parsed and are not yet covered by a frame. */
let pendingCharacters = 0;
let isFrameAsked = false;
const waiting = new Set<Waiter>();

/** Called when the parser is loaded. Those who wait get their turns over several frames. */
export function startRenderQueue(): void {
  isQueueStarted = true;
  if (waiting.size > 0) askFrame();
}

/** Whether a text may be parsed now. `isUrgent` skips the queue. Until then, render something cheap instead. */
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
  // The latest text is the one being looked at.
  for (const waiter of [...waiting].reverse()) {
    if (!waiter.isUrgent && !take(waiter.characters)) continue;
    waiting.delete(waiter);
    waiter.draw();
  }
  if (pendingCharacters > 0 || waiting.size > 0) askFrame();
}
