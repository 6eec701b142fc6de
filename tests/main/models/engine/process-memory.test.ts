import { describe, expect, it } from 'vitest';
import { watchMemory } from '../../../../src/main/models/engine/process-memory.ts';

const gigabyte = 1024 * 1024 * 1024;

/** What the system shows about process 7. Null: the process is gone. */
function fakeProc(files: { limits: string | null; status: string | null; vmstat: string }) {
  return (path: string): string | null => {
    if (path === '/proc/7/limits') return files.limits;
    if (path === '/proc/7/status') return files.status;
    return path === '/proc/vmstat' ? files.vmstat : null;
  };
}

function limits(data: number | 'unlimited', space: number | 'unlimited'): string {
  return `Limit                     Soft Limit           Hard Limit           Units
Max data size             ${data}            unlimited            bytes
Max address space         ${space}            unlimited            bytes
`;
}

function status(dataBytes: number, spaceBytes: number): string {
  return `Name:\tnode\nVmSize:\t  ${spaceBytes / 1024} kB\nVmData:\t  ${dataBytes / 1024} kB\n`;
}

const nothing = { limits: limits('unlimited', 'unlimited'), status: status(1, 1), vmstat: 'oom_kill 4\n' };

describe('the memory of a process that ended', () => {
  it('is the reason of the end when it was near one of its own limits', () => {
    const files = { ...nothing, limits: limits(gigabyte, 20 * gigabyte), status: status(gigabyte / 2, 11 * gigabyte) };
    const watch = watchMemory(7, fakeProc(files));
    watch.look();
    expect([watch.isLimited, watch.isNearLimit, watch.verdict('SIGABRT')]).toEqual([true, false, null]);
    files.status = status(gigabyte - 1024 * 1024, 11 * gigabyte);
    watch.look();
    Object.assign(files, { limits: null, status: null });
    watch.look();
    expect(watch.verdict('SIGABRT')).toBe('It used 1.1 GB of the 1.1 GB that its limits allow.');
    expect(watch.verdict(null)).not.toBeNull();
  });

  it('is the reason of the end when the system killed a process to free memory', () => {
    const files = { ...nothing };
    const watch = watchMemory(7, fakeProc(files));
    watch.look();
    expect(watch.verdict('SIGKILL')).toBeNull();
    files.vmstat = 'oom_kill 5\n';
    expect(watch.verdict('SIGKILL')).toContain('ran out of memory');
    expect(watch.verdict('SIGSEGV')).toBeNull();
  });

  it('is the reason of the end when a limited process aborted without a word', () => {
    const files = { ...nothing, limits: limits(gigabyte, 'unlimited'), status: status(gigabyte / 2, gigabyte) };
    const watch = watchMemory(7, fakeProc(files));
    watch.look();
    expect(watch.verdict('SIGABRT', true)).toContain('no room for a thread in the 1.1 GB that its limits allow');
    expect([watch.verdict('SIGABRT', false), watch.verdict('SIGSEGV', true), watch.verdict(null, true)]).toEqual([
      null,
      null,
      null,
    ]);
    const free = watchMemory(7, fakeProc(nothing));
    free.look();
    expect(free.verdict('SIGABRT', true)).toBeNull();
  });

  it('is unknown when the system tells nothing', () => {
    const watch = watchMemory(undefined, () => null);
    watch.look();
    expect([watch.isLimited, watch.verdict('SIGKILL'), watch.verdict('SIGABRT')]).toEqual([false, null, null]);
  });
});
