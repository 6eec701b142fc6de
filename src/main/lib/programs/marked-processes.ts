import { readdirSync, readFileSync } from 'node:fs';

/** A variable by which all that a program starts is known again, whatever group or session it went to. */
export const processMark = 'DEWPOINT_GUARDED_BY';

const mostRounds = 100;
/** One that is just beginning has no variables yet: it is looked for again so often, with a pause between. */
const emptyRounds = 10;
const pauseMs = 20;

/**
 * Ends every process with the mark, and all below `parent`, at once. A process that has detached itself keeps what it was
 * started with, so the mark finds it. Looks again until nothing is left, for a process can start another meanwhile: that
 * takes a fifth of a second, in which nothing else happens here. Linux alone shows what a process was started with;
 * elsewhere nothing happens.
 */
export function endMarked(mark: string, parent: number | undefined): void {
  if (process.platform !== 'linux') return;
  const ended = new Set<number>();
  let empty = 0;
  for (let round = 0; round < mostRounds && empty < emptyRounds; round += 1) {
    const found = markedProcesses(mark, parent).filter((pid) => !ended.has(pid));
    empty = found.length === 0 ? empty + 1 : 0;
    if (found.length === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    for (const pid of found) {
      ended.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    }
  }
}

/** But for this process itself. */
function markedProcesses(mark: string, parent: number | undefined): readonly number[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  const below = new Set(parent === undefined ? [] : [parent]);
  const parents = pids.map((pid) => ({ pid, above: parentOf(pid) }));
  // A child has a higher number than its parent but where numbers begin anew: then the mark finds it.
  for (const { pid, above } of parents) if (above !== null && below.has(above)) below.add(pid);
  const sought = `${processMark}=${mark}\0`;
  return pids.filter(
    (pid) => pid !== process.pid && (below.has(pid) || textOf(`/proc/${pid}/environ`).includes(sought)),
  );
}

/** It stands behind the name in ( ), which may hold anything. */
function parentOf(pid: number): number | null {
  const stat = textOf(`/proc/${pid}/stat`);
  const above = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(above) && above > 0 ? above : null;
}

/** Empty for one that has gone, or is of another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
