import { describe, expect, it } from 'vitest';
import {
  createBody,
  type ContainerPlan,
} from '../../../../../src/main/sandbox/docker/container/container-create-body.ts';
import { verifyContainer } from '../../../../../src/main/sandbox/docker/container/verify-container.ts';

const plan: ContainerPlan = {
  labels: { 'dewpoint.home': 'abc' },
  image: 'sha256:1234',
  runner: null,
  user: { uid: 1000, gid: 1001 },
  userns: '',
  isPodman: false,
  workspacePath: '/home/me/pro ject',
  pins: [
    { path: '.git', readOnly: false },
    { path: '.git/config', readOnly: true },
  ],
  outside: ['/home/me/main/.git'],
  masks: [
    { path: '.env', kind: 'file' },
    { path: 'deploy/key.pem', kind: 'file' },
    { path: 'plans', kind: 'folder' },
  ],
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
  support: {
    passwd: '/h/passwd',
    group: '/h/group',
    empty: '/h/empty',
    emptyFolder: '/h/empty-folder',
    seccomp: '/h/seccomp',
    scripts: '/h/scripts',
  },
  scratchVolume: 'dewpoint-v',
  extra: [],
  environment: {},
  networkOf: null,
  memoryBytes: 1024 * 1024 * 1024,
  cpus: 1.5,
  pids: 256,
  limits: { memory: true, swap: true, pids: true, cpu: true, ulimits: true },
  hasSwappiness: true,
};

describe('the request that creates a container', () => {
  const body = createBody(plan);

  it('asks for every protection', () => {
    expect(body.HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true', 'seccomp={"defaultAction":"SCMP_ACT_ERRNO"}'],
      PublishAllPorts: false,
      MemorySwappiness: 0,
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

  it('mounts no path twice: a mask replaces a pin', () => {
    const pins = [...plan.pins, ...['.env', 'plans', 'plans/.git'].map((path) => ({ path, readOnly: true }))];
    const targets = (createBody({ ...plan, pins }).HostConfig?.Mounts ?? []).map(({ Target }) => Target);
    expect(targets.filter((target, at) => targets.indexOf(target) !== at || target.endsWith('plans/.git'))).toEqual([]);
    expect(targets).toContain('/workspace/.env');
  });

  it('starts the runner as the first process, or else a shell program', () => {
    const bodies = [
      { path: '/usr/local/lib/dewpoint/runner', file: null },
      { path: '/run/dewpoint-runner', file: '/h/runner' },
    ].map((runner) => createBody({ ...plan, runner }));
    expect([...bodies, body].map(({ Entrypoint }) => Entrypoint)).toEqual([
      ['/usr/local/lib/dewpoint/runner'],
      ['/run/dewpoint-runner'],
      ['/bin/sh', '/run/dewpoint/reaper'],
    ]);
    const mounted = bodies.map(({ HostConfig }) => HostConfig?.Mounts?.filter(({ Source }) => Source === '/h/runner'));
    expect(mounted).toEqual([[], [expect.objectContaining({ Target: '/run/dewpoint-runner', ReadOnly: true })]]);
  });

  it('mounts the workspace, its pins and the support files privately and in order', () => {
    expect(
      body.HostConfig?.Mounts?.map((mount) => `${mount.Source} ${mount.Target} ${mount.ReadOnly ? 'ro' : 'rw'}`),
    ).toEqual([
      '/home/me/pro ject /workspace rw',
      '/home/me/pro ject/.git /workspace/.git rw',
      '/home/me/pro ject/.git/config /workspace/.git/config ro',
      '/h/empty /workspace/.env ro',
      '/h/empty /workspace/deploy/key.pem ro',
      '/h/empty-folder /workspace/plans ro',
      '/home/me/main/.git /home/me/main/.git ro',
      '/h/passwd /etc/passwd ro',
      '/h/group /etc/group ro',
      '/h/scripts /run/dewpoint ro',
      'dewpoint-v /scratch rw',
    ]);
    expect(body.HostConfig?.Mounts?.[0]?.BindOptions).toEqual({ Propagation: 'rprivate', NonRecursive: true });
  });

  it('lets programs run from the memory disks, and limits their size', () => {
    expect(body.HostConfig?.Tmpfs).toEqual({
      '/tmp': 'rw,nosuid,nodev,exec,size=256m,mode=1777',
      '/home/agent': 'rw,nosuid,nodev,exec,size=256m,mode=0700,uid=1000,gid=1001',
      '/run': 'rw,nosuid,nodev,size=16m,mode=1777',
    });
  });

  it('asks for no limit that the engine cannot hold', () => {
    const bare = createBody({
      ...plan,
      limits: { memory: false, swap: false, pids: false, cpu: false, ulimits: false },
    });
    for (const key of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit', 'Ulimits'])
      expect(bare.HostConfig).not.toHaveProperty(key);
  });
});

describe('the check of a container against its request', () => {
  const body = createBody(plan);
  const asMade = () => ({
    Image: 'sha256:1234',
    AppArmorProfile: 'docker-default',
    Config: {
      User: '1000:1001',
      Env: [...(body.Env ?? []), 'PATH=/usr/bin'],
      Entrypoint: body.Entrypoint,
      Cmd: null,
      WorkingDir: '/workspace',
      OpenStdin: true,
      StdinOnce: true,
      Tty: false,
      Labels: { 'dewpoint.home': 'abc', other: 'of the image' },
    },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      PublishAllPorts: false,
      AutoRemove: false,
      Init: false,
      OomKillDisable: false,
      IpcMode: 'private',
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      CgroupnsMode: 'private',
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      LogConfig: { Type: 'none', Config: {} },
      OomScoreAdj: 500,
      ShmSize: 64 * 1024 * 1024,
      Tmpfs: { ...body.HostConfig?.Tmpfs },
      Ulimits: [...(body.HostConfig?.Ulimits ?? [])].reverse(),
      CapAdd: null,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', 'seccomp={ "defaultAction": "SCMP_ACT_ERRNO" }'],
      MaskedPaths: ['/proc/kcore', '/proc/keys'],
      ReadonlyPaths: ['/proc/sys'],
      Binds: null,
      Devices: [],
      DeviceRequests: null,
      DeviceCgroupRules: null,
      VolumesFrom: null,
      GroupAdd: null,
      ExtraHosts: null,
      Links: null,
      PortBindings: {},
      Memory: plan.memoryBytes,
      MemorySwap: plan.memoryBytes,
      MemorySwappiness: 0,
      NanoCpus: 1.5e9,
      PidsLimit: 256,
    },
    Mounts: (body.HostConfig?.Mounts ?? []).map((mount) => ({
      Type: mount.Type,
      Source: mount.Type === 'volume' ? '/var/lib/x' : mount.Source,
      Destination: mount.Target,
      Name: mount.Type === 'volume' ? mount.Source : undefined,
      RW: mount.ReadOnly !== true,
      Propagation: mount.Type === 'volume' ? '' : 'rprivate',
    })),
  });

  it('finds nothing when everything is as requested', () => {
    expect(verifyContainer(body, asMade())).toEqual([]);
  });

  const made = asMade();
  const host = (change: object) => ({ ...made, HostConfig: { ...made.HostConfig, ...change } });
  const config = (change: object) => ({ ...made, Config: { ...made.Config, ...change } });
  const seccomp = made.HostConfig.SecurityOpt[1];
  const wrong: readonly (readonly [string, unknown])[] = [
    ['another image', { ...made, Image: 'sha256:9999' }],
    ['no AppArmor', { ...made, AppArmorProfile: 'unconfined' }],
    ['another user', config({ User: '' })],
    ['another first process', config({ Entrypoint: ['/bin/sh'] })],
    ['a missing variable', config({ Env: ['PATH=/usr/bin'] })],
    ['a terminal', config({ Tty: true })],
    ['a closed input', config({ OpenStdin: false })],
    ['a lost label', config({ Labels: {} })],
    ['a network', host({ NetworkMode: 'bridge' })],
    ['a writable root', host({ ReadonlyRootfs: false })],
    ['privileges', host({ Privileged: true })],
    ['an added capability', host({ CapAdd: ['SYS_ADMIN'] })],
    ['capabilities kept', host({ CapDrop: null })],
    ['new privileges', host({ SecurityOpt: [seccomp] })],
    ['no profile of system calls', host({ SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] })],
    [
      'another profile of system calls',
      host({ SecurityOpt: ['no-new-privileges', 'seccomp={"defaultAction":"SCMP_ACT_ALLOW"}'] }),
    ],
    ['AppArmor switched off beside it', host({ SecurityOpt: [...made.HostConfig.SecurityOpt, 'apparmor=unconfined'] })],
    ['an open /proc', host({ MaskedPaths: [] })],
    ['a writable /proc/sys', host({ ReadonlyPaths: null })],
    ['shared memory', host({ IpcMode: 'shareable' })],
    ['the processes of the host', host({ PidMode: 'host' })],
    ['the name of the host', host({ UTSMode: 'host' })],
    ['the users of the host', host({ UsernsMode: 'host' })],
    ['the control groups of the host', host({ CgroupnsMode: 'host' })],
    ['a device', host({ Devices: [{}] })],
    ['a rule for devices', host({ DeviceCgroupRules: ['a *:* rwm'] })],
    ['a setting of the kernel', host({ Sysctls: { 'net.ipv4.ip_forward': '1' } })],
    ['a published port', host({ PublishAllPorts: true })],
    ['another group', host({ GroupAdd: ['docker'] })],
    ['a life of its own', host({ RestartPolicy: { Name: 'always' } })],
    ['its removal with all evidence', host({ AutoRemove: true })],
    ['a log on disk', host({ LogConfig: { Type: 'json-file' } })],
    ['less of a limit', host({ PidsLimit: 0 })],
    ['looser limits of a process', host({ Ulimits: [] })],
    ['no end by the kernel', host({ OomKillDisable: true })],
    ['swap', host({ MemorySwap: -1 })],
    ['larger memory disks', host({ Tmpfs: { ...made.HostConfig.Tmpfs, '/tmp': 'rw' } })],
    [
      'a further mount',
      { ...made, Mounts: [...made.Mounts, { Type: 'bind', Source: '/', Destination: '/host', RW: true }] },
    ],
    [
      'a further memory disk',
      { ...made, Mounts: [...made.Mounts, { Type: 'tmpfs', Source: '', Destination: '/etc', RW: true }] },
    ],
    ['a missing mount', { ...made, Mounts: made.Mounts.slice(1) }],
    ['a writable pin', { ...made, Mounts: made.Mounts.map((mount) => ({ ...mount, RW: true })) }],
    ['a mount that spreads', { ...made, Mounts: made.Mounts.map((mount) => ({ ...mount, Propagation: 'rshared' })) }],
    ['an unknown form', { Id: 'x' }],
  ];
  it('accepts the different words that Podman uses', () => {
    const asked = createBody({ ...plan, isPodman: true, seccomp: '/h/seccomp' });
    const capabilities = Array.from({ length: 11 }, (_, at) => `CAP_${at}`);
    const podman = {
      ...host({
        CapDrop: capabilities,
        IpcMode: 'shareable',
        PidMode: 'private',
        UTSMode: 'private',
        LogConfig: { Type: 'k8s-file' },
        SecurityOpt: ['no-new-privileges', 'seccomp=/h/seccomp'],
        Tmpfs: {},
      }),
      Mounts: made.Mounts,
    };
    expect(verifyContainer(asked, podman)).toEqual([]);
    // Podman 4.3 answers like this over Docker's socket: it lists every mount again, uses another name for its log, and
    // leaves out what it hides.
    const binds = made.Mounts.map(
      ({ Name, Source, Destination, RW }) => `${Name ?? Source}:${Destination}:${RW ? 'rw' : 'ro'},rprivate,bind`,
    );
    const four = {
      ...podman.HostConfig,
      LogConfig: { Type: 'json-file' },
      MaskedPaths: null,
      ReadonlyPaths: null,
      Binds: binds,
    };
    expect(verifyContainer(asked, { ...podman, HostConfig: four })).toEqual([]);
    const further = { ...four, Binds: [...binds, '/:/host:rw,rprivate,bind'] };
    expect(verifyContainer(asked, { ...podman, HostConfig: further })).toEqual([
      'Binds is ["/:/host:rw,rprivate,bind"] instead of []',
    ]);
    const shown = { ...four, MaskedPaths: [] };
    expect(verifyContainer(asked, { ...podman, HostConfig: shown })).toEqual([
      'hides /proc/kcore is false instead of true',
    ]);
    expect(verifyContainer(asked, { ...podman, HostConfig: { ...podman.HostConfig, SecurityOpt: [] } })).not.toEqual(
      [],
    );
  });

  it.each(wrong)('reports %s', (_what, inspected) => {
    expect(verifyContainer(body, inspected)).not.toEqual([]);
  });
});
