import { readdirSync, readFileSync } from 'node:fs';

/** A variable that identifies everything that a program starts, in any process group or session. */
export const processMark = 'DEWPOINT_GUARDED_BY';

const mostRounds = 100;
/**
 * A process that is just starting has no variables yet, so empty results are checked this often, with a pause in
 * between.
 */
const emptyRounds = 10;
const pauseMs = 20;

/**
 * Kills every process with the mark, and all descendants of `parent`. A detached process keeps its original
 * environment, so the mark finds it. Repeats until none is left, because a process can start another meanwhile. This
 * blocks for a fifth of a second. Only Linux shows the environment of a process; on other systems this does nothing.
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
        // The process is already gone.
      }
    }
  }
}

/** Never includes this process itself. */
function markedProcesses(mark: string, parent: number | undefined): readonly number[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  const below = new Set(parent === undefined ? [] : [parent]);
  const parents = pids.map((pid) => ({ pid, above: parentOf(pid) }));
  // A child has a higher id than its parent, unless ids have wrapped around; then the mark finds it.
  for (const { pid, above } of parents) if (above !== null && below.has(above)) below.add(pid);
  const sought = `${processMark}=${mark}\0`;
  return pids.filter(
    (pid) => pid !== process.pid && (below.has(pid) || textOf(`/proc/${pid}/environ`).includes(sought)),
  );
}

/** The parent follows the name in ( ), which may contain anything. */
function parentOf(pid: number): number | null {
  const stat = textOf(`/proc/${pid}/stat`);
  const above = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(above) && above > 0 ? above : null;
}

/** Empty if the process is gone or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
