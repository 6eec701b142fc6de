import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, output, requireEngine, startSandbox, type DockerUnderTest } from './docker-kit.ts';

const isRoot = process.getuid?.() === 0;

const attack =
  (file: string): ((workspace: string) => Promise<void>) =>
  (workspace) =>
    copyFile(`tests/fixtures/${file}`, join(workspace, file));

describe.skipIf(isWithoutEngine).each([
  ['of the same user', { uid: 1234, gid: 1234 }],
  ['that is root without capabilities', { uid: 0, gid: 0 }],
])('a command %s', (_who, owner) => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox({
      ...(isRoot ? { owner } : {}),
      settings: { memoryMb: 512, pids: 256 },
      prepare: attack('runner-attack.py'),
    });
  });
  afterAll(() => under.close());

  const run = (command: string, timeoutMs = 60_000) => under.sandbox.exec({ command, timeoutMs }, none);
  const isFine = async (): Promise<void> => expect(await output(under.sandbox, 'echo fine')).toBe('fine\n');

  it('cannot look into the runner or its keeper, or take what they hold', async () => {
    const lines = (await output(under.sandbox, 'exec python3 runner-attack.py')).trim().split('\n');
    const answers = lines.map((line): readonly string[] => line.split('\t'));
    expect(answers.length).toBeGreaterThan(50);
    const own = answers.filter(([name = '']) => !/^(runner|keeper) /.test(name));
    expect(own).toEqual([
      ['own descriptors', '0 1 2'],
      ['ignored signals', '0x0'],
      ['blocked signals', '0x0'],
      ['signals', 'sent'],
    ]);
    const held = /^(EPERM|EACCES|ENOENT|ENOSYS|EINVAL|empty)$/;
    const open = answers.filter(([name = '', answer = '']) => /^(runner|keeper) /.test(name) && !held.test(answer));
    // Harmless: this sets what a core dump contains, and there are no dumps. The file belongs to root, and the command
    // may run as root.
    const harmless = owner.uid === 0 ? ['runner write coredump_filter', 'keeper write coredump_filter'] : [];
    expect(open.map(([name]) => name)).toEqual(harmless);
    await isFine();
    expect(under.losses).toEqual([]);
  });

  it('cannot fake an answer of the runner by its output', async () => {
    // The frame with which the runner reports that runs 1 to 60 ended well.
    const forge = `python3 -c "
import os, struct
for run in range(1, 60):
    frame = struct.pack('>IBI', 26, 4, run) + bytes(26)
    os.write(1, frame); os.write(2, struct.pack('>BxxxI', 1, len(frame)) + frame)
"; exit 7`;
    expect(valueOf(await run(forge))).toMatchObject({ outcome: 'exited', exitCode: 7, stdoutBytes: 35 * 59 });
    await isFine();
  });

  it('that kills or stops its keeper ends, with all that it started', async () => {
    const keeper = `p=$$; while [ "$(cut -d' ' -f4 /proc/$p/stat)" != 1 ]; do p=$(cut -d' ' -f4 /proc/$p/stat); done`;
    for (const signal of ['KILL', 'STOP']) {
      const command = `(setsid sleep 4711 &); setsid sleep 4712 & ${keeper}; kill -${signal} $p; sleep 4713`;
      expect(valueOf(await run(command))).toMatchObject({ outcome: 'killed', exitCode: 137 });
      expect(await output(under.sandbox, 'ps -eo args | grep -c "[s]leep 471" || true')).toBe('0\n');
    }
    const killed = valueOf(await run('setsid sleep 4714 & kill -9 -1; sleep 4715'));
    expect(killed.exitCode).toBe(137);
    expect(await output(under.sandbox, 'ps -eo args | grep -c "[s]leep 471" || true')).toBe('0\n');
    expect(under.losses).toEqual([]);
  });

  it('that holds the output of another one open does not delay its end', async () => {
    const holder = `python3 -c "
import os, time
kept = []
open('begun', 'w').close()
for _ in range(40):
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for number in (1, 2):
            try: kept.append(os.open(f'/proc/{pid}/fd/{number}', os.O_WRONLY | os.O_NONBLOCK))
            except OSError: pass
    time.sleep(0.05)
time.sleep(600)"`;
    const controller = new AbortController();
    const holding = under.sandbox.exec({ command: holder, timeoutMs: 60_000 }, controller.signal);
    await expect.poll(() => under.text('begun')).not.toBeNull();
    expect(valueOf(await run('sleep 1; echo done'))).toMatchObject({ outcome: 'exited', stdout: 'done\n' });
    controller.abort();
    expect(valueOf(await holding).outcome).toBe('cancelled');
    await isFine();
  });

  it.each(['NOFILE', 'NPROC', 'FSIZE', 'AS', 'STACK', 'CPU'])(
    'cannot change a limit of the runner that later commands inherit: %s',
    async (limit) => {
      const spoil = `python3 -c "import resource; resource.prlimit(1, resource.RLIMIT_${limit}, (1, 1))"`;
      expect(valueOf(await run(spoil)).stderr).toMatch(/PermissionError|Operation not permitted/);
      expect(await output(under.sandbox, `ulimit -n; bash -c 'ulimit -n 64; ulimit -n'`)).toBe('4096\n64\n');
      await isFine();
    },
  );

  it('ends its second runner at once, and its own processes stay alive', async () => {
    const again =
      'sleep 4730 & s=$!; /usr/local/lib/dewpoint/runner < /dev/null; echo "code $?"; kill -0 $s && echo alive';
    expect(valueOf(await run(again))).toMatchObject({
      outcome: 'exited',
      stdout: 'code 71\nalive\n',
      stderr: expect.stringContaining('process 1'),
    });
    await isFine();
  });

  it('leaves processes that the engine itself started in the container alone', async () => {
    const container = requireEngine().docker.getContainer(await under.containerId());
    const exec = await container.exec({ Cmd: ['/bin/sleep', '4720'] });
    await exec.start({ Detach: true });
    await run('(setsid sleep 4721 &); exit 0');
    await run('(setsid sleep 4722 &); sleep 4723', 300);
    expect(await output(under.sandbox, 'ps -eo args | grep "[s]leep 47"')).toBe('/bin/sleep 4720\n');
  });

  it('can only delay the runner by taking its turn', async () => {
    await run(`python3 -c "
import os
os.setpriority(os.PRIO_PROCESS, 1, 19)
os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))"`);
    await isFine();
  });
});
