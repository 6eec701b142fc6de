import { describe, expect, it } from 'vitest';
import { createBody, type ContainerPlan } from '../../../../src/main/sandbox/docker/create-body.ts';
import { verifyContainer } from '../../../../src/main/sandbox/docker/verify-container.ts';

const plan: ContainerPlan = {
  labels: { 'dewpoint.home': 'abc' },
  image: 'sha256:1234',
  user: { uid: 1000, gid: 1001 },
  userns: '',
  isPodman: false,
  workspacePath: '/home/me/pro ject',
  pins: [
    { path: '.git', readOnly: false },
    { path: '.git/config', readOnly: true },
  ],
  support: { passwd: '/h/passwd', group: '/h/group', scripts: '/h/scripts' },
  scratchVolume: 'dewpoint-v',
  memoryBytes: 1024 * 1024 * 1024,
  cpus: 1.5,
  pids: 256,
  limits: { memory: true, swap: true, pids: true, cpu: true },
};

describe('the create body', () => {
  const body = createBody(plan);

  it('asks for every protection', () => {
    expect(body.HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      IpcMode: 'private',
      CgroupnsMode: 'private',
      Init: false,
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none' },
      Memory: plan.memoryBytes,
      MemorySwap: plan.memoryBytes,
      NanoCpus: 1.5e9,
      PidsLimit: 256,
    });
    expect([body.User, body.Image, body.OpenStdin, body.StdinOnce, body.Tty]).toEqual([
      '1000:1001',
      'sha256:1234',
      true,
      true,
      false,
    ]);
    for (const key of ['Binds', 'CapAdd', 'Devices', 'VolumesFrom', 'PortBindings', 'ExtraHosts', 'PidMode']) {
      expect(body.HostConfig).not.toHaveProperty(key);
    }
  });

  it('mounts the workspace, its pins and the support files, privately and in order', () => {
    expect(
      body.HostConfig?.Mounts?.map((mount) => `${mount.Source} ${mount.Target} ${mount.ReadOnly ? 'ro' : 'rw'}`),
    ).toEqual([
      '/home/me/pro ject /workspace rw',
      '/home/me/pro ject/.git /workspace/.git rw',
      '/home/me/pro ject/.git/config /workspace/.git/config ro',
      '/h/passwd /etc/passwd ro',
      '/h/group /etc/group ro',
      '/h/scripts /run/dewpoint ro',
      'dewpoint-v /scratch rw',
    ]);
    expect(body.HostConfig?.Mounts?.[0]?.BindOptions).toEqual({ Propagation: 'rprivate', NonRecursive: true });
  });

  it('lets programs run from the memory disks, which get a quarter of the memory', () => {
    expect(body.HostConfig?.Tmpfs).toEqual({
      '/tmp': 'rw,nosuid,nodev,exec,size=256m,mode=1777',
      '/home/agent': 'rw,nosuid,nodev,exec,size=256m,mode=0700,uid=1000,gid=1001',
      '/run': 'rw,nosuid,nodev,size=16m,mode=1777',
    });
  });

  it('does not promise limits that the engine cannot hold', () => {
    const bare = createBody({ ...plan, limits: { memory: false, swap: false, pids: false, cpu: false } });
    for (const key of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit'])
      expect(bare.HostConfig).not.toHaveProperty(key);
  });
});

describe('the comparison with what was made', () => {
  const body = createBody(plan);
  const asMade = () => ({
    Config: { User: '1000:1001' },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      IpcMode: 'private',
      PidMode: '',
      UTSMode: '',
      CapAdd: null,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Binds: null,
      Devices: [],
      DeviceRequests: null,
      VolumesFrom: null,
      GroupAdd: null,
      ExtraHosts: null,
      PortBindings: {},
      Memory: plan.memoryBytes,
      MemorySwap: plan.memoryBytes,
      NanoCpus: 1.5e9,
      PidsLimit: 256,
    },
    Mounts: (body.HostConfig?.Mounts ?? []).map((mount) => ({
      Type: mount.Type,
      Source: mount.Type === 'volume' ? '/var/lib/x' : mount.Source,
      Destination: mount.Target,
      Name: mount.Type === 'volume' ? mount.Source : undefined,
      RW: mount.ReadOnly !== true,
    })),
  });

  it('finds nothing where all is as asked', () => {
    expect(verifyContainer(body, asMade())).toEqual([]);
  });

  const made = asMade();
  const wrong: readonly (readonly [string, unknown])[] = [
    ['another user', { ...made, Config: { User: '' } }],
    ['a network', { ...made, HostConfig: { ...made.HostConfig, NetworkMode: 'bridge' } }],
    ['a writable root', { ...made, HostConfig: { ...made.HostConfig, ReadonlyRootfs: false } }],
    ['privileges', { ...made, HostConfig: { ...made.HostConfig, Privileged: true } }],
    ['an added capability', { ...made, HostConfig: { ...made.HostConfig, CapAdd: ['SYS_ADMIN'] } }],
    ['capabilities kept', { ...made, HostConfig: { ...made.HostConfig, CapDrop: null } }],
    ['new privileges', { ...made, HostConfig: { ...made.HostConfig, SecurityOpt: ['seccomp=unconfined'] } }],
    ['shared memory', { ...made, HostConfig: { ...made.HostConfig, IpcMode: 'shareable' } }],
    ['the processes of the host', { ...made, HostConfig: { ...made.HostConfig, PidMode: 'host' } }],
    ['a device', { ...made, HostConfig: { ...made.HostConfig, Devices: [{}] } }],
    ['less of a limit', { ...made, HostConfig: { ...made.HostConfig, PidsLimit: 0 } }],
    ['swap', { ...made, HostConfig: { ...made.HostConfig, MemorySwap: -1 } }],
    [
      'a further mount',
      { ...made, Mounts: [...made.Mounts, { Type: 'bind', Source: '/', Destination: '/host', RW: true }] },
    ],
    ['a missing mount', { ...made, Mounts: made.Mounts.slice(1) }],
    ['a writable pin', { ...made, Mounts: made.Mounts.map((mount) => ({ ...mount, RW: true })) }],
    ['an unknown form', { Id: 'x' }],
  ];
  it.each(wrong)('names %s', (_what, inspected) => {
    expect(verifyContainer(body, inspected)).not.toEqual([]);
  });
});
