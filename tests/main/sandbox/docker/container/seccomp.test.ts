import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const profile = z
  .strictObject({
    defaultAction: z.string(),
    defaultErrnoRet: z.number(),
    archMap: z.array(z.object({ architecture: z.string() })),
    syscalls: z.array(
      z.strictObject({
        names: z.array(z.string()),
        action: z.string(),
        errnoRet: z.number().optional(),
        args: z.array(z.object({ index: z.number(), value: z.number(), op: z.string() })).nullish(),
        includes: z
          .strictObject({ arches: z.array(z.string()).optional(), minKernel: z.string().optional() })
          .optional(),
        excludes: z.strictObject({ arches: z.array(z.string()).optional() }).optional(),
        comment: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('resources/sandbox/seccomp.json', 'utf8')));

describe('the profile of system calls for containers', () => {
  const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');

  it('forbids what it does not name, and allows nothing more for a capability', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    const others = profile.syscalls.filter(({ action }) => action !== 'SCMP_ACT_ALLOW');
    expect(others.map(({ names, action, errnoRet }) => [names, action, errnoRet])).toEqual([
      [['openat2'], 'SCMP_ACT_ERRNO', 38],
      [['clone3'], 'SCMP_ACT_ERRNO', 38],
    ]);
  });

  it('allows sockets of four families and no other way to get one', () => {
    const sockets = allowed.filter(({ names }) => names.includes('socket'));
    expect(sockets.map(({ names, args, comment }) => [names, args, comment])).toEqual(
      [
        [1, 'AF_UNIX'],
        [2, 'AF_INET'],
        [10, 'AF_INET6'],
        [16, 'AF_NETLINK'],
      ].map(([value, name]) => [['socket'], [{ index: 0, value, op: 'SCMP_CMP_EQ' }], name]),
    );
  });

  it('lets a process change only its own limits', () => {
    const rules = allowed.filter(({ names }) => names.includes('prlimit64'));
    expect(rules.map(({ names, args }) => [names, args])).toEqual([
      [['prlimit64'], [{ index: 0, value: 0, op: 'SCMP_CMP_EQ' }]],
    ]);
  });

  it('lets nobody make a program that runs as its owner', () => {
    const makers = ['chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'creat', 'mknod', 'mknodat', 'open', 'openat'];
    const rules = allowed.filter(({ names }) => names.some((name) => makers.includes(name)));
    expect(new Set(rules.flatMap(({ names }) => names))).toEqual(new Set(makers));
    // Each rule allows only a mode without the set-user-id bit, or flags that take no mode.
    const masks = rules.map(({ args }) => args?.map(({ value, op }) => [op, value]));
    expect(new Set(masks.map((mask) => JSON.stringify(mask)))).toEqual(
      new Set([0o4000, 0o6000, 0o20000100].map((value) => JSON.stringify([['SCMP_CMP_MASKED_EQ', value]]))),
    );
  });

  it('forbids the calls that have been ways into the kernel', () => {
    const names = new Set(allowed.flatMap((rule) => rule.names));
    const forbidden = [
      'socketcall',
      'io_uring_setup',
      'io_uring_enter',
      'io_uring_register',
      'bpf',
      'userfaultfd',
      'perf_event_open',
      'keyctl',
      'add_key',
      'request_key',
      'mount',
      'umount2',
      'move_mount',
      'open_tree',
      'fsopen',
      'fsmount',
      'pivot_root',
      'setns',
      'unshare',
      'init_module',
      'finit_module',
      'kexec_load',
      'kexec_file_load',
      'reboot',
      'swapon',
      'open_by_handle_at',
      'acct',
      'iopl',
      'ioperm',
      'settimeofday',
      'clock_settime',
      'quotactl',
      'nfsservctl',
      'lookup_dcookie',
      'vmsplice_',
    ];
    expect(forbidden.filter((name) => names.has(name))).toEqual([]);
    const clone = allowed.filter((rule) => rule.names.includes('clone'));
    expect(clone.length).toBeGreaterThan(0);
    // The call is allowed only without the flags that create a namespace.
    expect(clone.every(({ args }) => args?.[0]?.op === 'SCMP_CMP_MASKED_EQ' && args[0].value === 0x7e020000)).toBe(
      true,
    );
  });
});
