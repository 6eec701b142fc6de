/**
 * What engines that cannot run here reported on other people's machines: the fields that Dewpoint reads, from `docker
 * version` in public reports and from `docker info` of Docker Desktop in reports of 27.1 to 29.4. `expected` is the
 * correct reading.
 */
export const recordedDesktops = [
  {
    from: 'github.com/docker/for-mac/issues/7402',
    // Its runc reports the version of containerd as its own. Only the commit identifies it.
    version: version({
      engine: '27.1.1',
      api: '1.46',
      least: '1.24',
      product: 'Docker Desktop 4.33.0 (160616)',
      containerd: '1.7.19',
      runc: '1.7.19',
      runcCommit: 'v1.1.13-0-g58aa920',
    }),
    info: info({ profile: 'unconfined' }),
    expected: { desktop: { version: '4.33.0' }, apiVersion: '1.46', containerd: '1.7.19', runc: '1.1.13' },
  },
  {
    from: 'github.com/docker/cli/issues/4672',
    version: version({
      engine: 'master',
      api: '1.44',
      least: '1.12',
      product: 'Docker Desktop 4.25.2 (129061)',
      containerd: '1.6.22',
      runc: '1.1.8',
      runcCommit: 'v1.1.8-0-g82f18fe',
    }),
    info: info({ profile: 'unconfined' }),
    expected: { desktop: { version: '4.25.2' }, apiVersion: '1.44', containerd: '1.6.22', runc: '1.1.8' },
  },
  {
    from: 'github.com/docker/for-mac/issues/7576',
    version: version({
      engine: '27.5.1',
      api: '1.47',
      least: '1.24',
      product: 'Docker Desktop 4.38.0 (181591)',
      containerd: '1.7.25',
      runc: '1.1.12',
      runcCommit: 'v1.1.12-0-g51d5e946',
    }),
    info: info({ profile: 'unconfined' }),
    expected: { desktop: { version: '4.38.0' }, apiVersion: '1.47', containerd: '1.7.25', runc: '1.1.12' },
  },
  {
    from: 'github.com/docker/desktop-feedback/issues/274',
    version: version({
      engine: '29.3.1',
      api: '1.54',
      least: '1.40',
      product: 'Docker Desktop 4.67.0 (222858)',
      containerd: 'v2.2.1',
      runc: '1.3.4',
      runcCommit: 'v1.3.4-0-gd6d73eb8',
    }),
    info: info({ profile: 'builtin' }),
    expected: { desktop: { version: '4.67.0' }, apiVersion: '1.47', containerd: 'v2.2.1', runc: '1.3.4' },
  },
] as const;

/** Podman 4.3.1 of Debian 12 without root and with control groups of version 1: its answers by both interfaces. */
export const recordedPodman = {
  version: {
    Platform: { Name: 'linux/amd64/debian-12' },
    Components: [
      { Name: 'Podman Engine', Version: '4.3.1', Details: { APIVersion: '4.3.1', MinAPIVersion: '4.0.0' } },
      { Name: 'Conmon', Version: 'conmon version 2.1.6, commit: unknown', Details: {} },
      { Name: 'OCI Runtime (runc)', Version: 'runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1', Details: {} },
    ],
    Version: '4.3.1',
    ApiVersion: '1.41',
    MinAPIVersion: '1.24',
  },
  info: {
    MemoryLimit: true,
    SwapLimit: true,
    PidsLimit: true,
    CpuCfsQuota: true,
    CgroupVersion: '1',
    NCPU: 2,
    SecurityOptions: ['name=seccomp,profile=default'],
    Rootless: true,
    OperatingSystem: 'debian',
    Name: 'vm',
    DockerRootDir: '/home/me/.local/share/containers/storage',
    MemTotal: 25276502016,
  },
  own: { host: { cgroupVersion: 'v1', cgroupControllers: [] } },
} as const;

function version(of: {
  readonly engine: string;
  readonly api: string;
  readonly least: string;
  readonly product: string;
  readonly containerd: string;
  readonly runc: string;
  readonly runcCommit: string;
}) {
  return {
    Platform: { Name: of.product },
    Version: of.engine,
    ApiVersion: of.api,
    MinAPIVersion: of.least,
    Components: [
      { Name: 'Engine', Version: of.engine, Details: { ApiVersion: of.api, MinAPIVersion: of.least, Os: 'linux' } },
      { Name: 'containerd', Version: of.containerd, Details: {} },
      { Name: 'runc', Version: of.runc, Details: { GitCommit: of.runcCommit } },
      { Name: 'docker-init', Version: '0.19.0', Details: { GitCommit: 'de40ad0' } },
    ],
  };
}

function info({ profile }: { readonly profile: string }) {
  return {
    OperatingSystem: 'Docker Desktop',
    OSType: 'linux',
    Name: 'docker-desktop',
    CgroupVersion: '2',
    NCPU: 8,
    MemTotal: 8222580736,
    DockerRootDir: '/var/lib/docker',
    MemoryLimit: true,
    SwapLimit: true,
    PidsLimit: true,
    CpuCfsQuota: true,
    SecurityOptions: [`name=seccomp,profile=${profile}`, 'name=cgroupns'],
  };
}
