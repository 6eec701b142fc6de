import type { TerminalPush } from '@shared/sandbox/sandbox-view.ts';
import { sleep } from '../lib/async/abort.ts';
import { workStream } from '../lib/async/push-queue.ts';
import type { PushQueue } from '../lib/async/push-queue.ts';

/**
 * Only this much of the output at one moment is shown. Nobody can read more, and later pushes must not be delayed.
 */
const mostCharacters = 256 * 1024;
/** About one frame of a screen. */
const gatherMs = 16;

/** A terminal as a stream. All output of a short time is one push. It ends when nobody listens any more. */
export function terminalStream(
  start: (onPush: (push: TerminalPush) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<TerminalPush> {
  return workStream(start, signal, gathered);
}

async function* gathered(queue: PushQueue<TerminalPush>, signal: AbortSignal): AsyncGenerator<TerminalPush> {
  for (let items = await queue.take(); items !== null; items = await queue.take()) {
    yield* joinNeighbors(items);
    // An abort ends the queue, and with it the loop.
    await sleep(gatherMs, signal).catch(() => undefined);
  }
}

/** Joins consecutive output into one push. */
function joinNeighbors(items: readonly TerminalPush[]): readonly TerminalPush[] {
  const pushes: TerminalPush[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length === 0) return;
    const whole = texts.join('');
    const left = whole.length - mostCharacters;
    const text = left <= 0 ? whole : `\r\n[${left} characters skipped]\r\n${whole.slice(left)}`;
    pushes.push({ type: 'output', text });
    texts = [];
  };
  for (const item of items) {
    if (item.type === 'output') texts.push(item.text);
    else {
      flush();
      pushes.push(item);
    }
  }
  flush();
  return pushes;
}
