import type Dockerode from 'dockerode';
import type { SandboxLook } from '../../sandbox.ts';
import { withDeadline } from '../engine/engine-deadline.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { noteFailure } from '../../../lib/log.ts';

const lookMs = 5_000;

/** The processor time and memory that a container uses, from one request to the engine. Null: no answer. */
export async function readUsage(container: Dockerode.Container, signal: AbortSignal): Promise<SandboxLook['usage']> {
  try {
    const stats: unknown = await withDeadline(lookMs, signal, () =>
      container.stats({ stream: false, 'one-shot': true }),
    );
    return usageOf(stats);
  } catch (error) {
    // The figure is for display only, and the panel shows that it is unknown.
    noteFailure('sandbox: the use of a container was not measured', error);
    return null;
  }
}

/** Reads the engine's answer, which differs between engines and versions. Missing fields become null. */
export function usageOf(stats: unknown): SandboxLook['usage'] {
  const cpuNs = numberAt(stats, ['cpu_stats', 'cpu_usage', 'total_usage']);
  const read = at(stats, ['read']);
  const readMs = typeof read === 'string' ? Date.parse(read) : Number.NaN;
  if (cpuNs === null || Number.isNaN(readMs)) return null;
  const used = numberAt(stats, ['memory_stats', 'usage']);
  // Like the engine's own tools, subtracts file caches that can be freed at once.
  const idle =
    numberAt(stats, ['memory_stats', 'stats', 'inactive_file']) ??
    numberAt(stats, ['memory_stats', 'stats', 'total_inactive_file']) ??
    0;
  return {
    cpuNs,
    readNs: readMs * 1e6,
    memoryBytes: used === null ? null : Math.max(0, used - idle),
    memoryLimitBytes: numberAt(stats, ['memory_stats', 'limit']),
    processes: numberAt(stats, ['pids_stats', 'current']),
  };
}

function at(value: unknown, path: readonly string[]): unknown {
  let node = value;
  for (const name of path) node = fieldOf(node, name);
  return node;
}

function numberAt(value: unknown, path: readonly string[]): number | null {
  const found = at(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}
