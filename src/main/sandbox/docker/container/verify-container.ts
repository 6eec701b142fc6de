import { z } from 'zod';
import type Dockerode from 'dockerode';
import { jsonOrText } from '@shared/text/json-in.ts';

/**
 * Compares the container that the engine made with the request, field by field, and checks for additions that must
 * not be there. Engines silently drop fields that they do not know, so a container with any difference must not be
 * started. Returns the differences in words. Empty: there are none.
 */
export function verifyContainer(asked: Dockerode.ContainerCreateOptions, inspected: unknown): readonly string[] {
  const parsed = inspectSchema.safeParse(inspected);
  if (!parsed.success) return ['the engine described the container in an unknown form'];
  const { HostConfig: got, Config: config, Mounts: mounted, Image: image, AppArmorProfile: profile } = parsed.data;
  const want = asked.HostConfig ?? {};
  const differences: string[] = [];
  const expectSame = (name: string, wanted: unknown, found: unknown): void => {
    const [left, right] = [JSON.stringify(wanted), JSON.stringify(found)];
    if (left !== right) differences.push(`${name} is ${short(right)} instead of ${short(left)}`);
  };
  const isPodman = want.LogConfig?.Type === 'k8s-file';
  if (image !== undefined && asked.Image?.startsWith('sha256:') === true)
    expectSame('Image', withoutPrefix(asked.Image), withoutPrefix(image));
  if (profile !== undefined) expectSame('AppArmor is off', false, profile === 'unconfined');
  compareConfig(asked, config, isPodman, expectSame);
  compareHost(want, got, isPodman, expectSame);
  for (const [name, list] of Object.entries(emptyLists(got, isPodman ? asked : null))) expectSame(name, [], list);
  expectSame('mounts', wantedMounts(asked), foundMounts(mounted, want.Tmpfs ?? {}));
  return differences;
}

type Compare = (name: string, wanted: unknown, found: unknown) => void;

const list = z.array(z.unknown()).nullish();
const strings = z.array(z.string()).nullish();
const number = z.number().nullish();

const inspectSchema = z.object({
  Image: z.string().optional(),
  AppArmorProfile: z.string().optional(),
  Config: z.object({
    User: z.string(),
    Env: strings,
    Entrypoint: strings,
    Cmd: strings,
    WorkingDir: z.string().nullish(),
    OpenStdin: z.boolean().nullish(),
    StdinOnce: z.boolean().nullish(),
    Tty: z.boolean().nullish(),
    Labels: z.record(z.string(), z.string()).nullish(),
  }),
  HostConfig: z.object({
    NetworkMode: z.string(),
    ReadonlyRootfs: z.boolean(),
    Privileged: z.boolean(),
    IpcMode: z.string(),
    PidMode: z.string().nullish(),
    UTSMode: z.string().nullish(),
    UsernsMode: z.string().nullish(),
    CgroupnsMode: z.string().nullish(),
    Init: z.boolean().nullish(),
    AutoRemove: z.boolean().nullish(),
    PublishAllPorts: z.boolean().nullish(),
    RestartPolicy: z.object({ Name: z.string().nullish() }).nullish(),
    LogConfig: z.object({ Type: z.string().nullish() }).nullish(),
    OomScoreAdj: number,
    OomKillDisable: z.boolean().nullish(),
    ShmSize: number,
    Tmpfs: z.record(z.string(), z.string()).nullish(),
    Ulimits: z.array(z.object({ Name: z.string(), Soft: z.number(), Hard: z.number() })).nullish(),
    CapAdd: strings,
    CapDrop: strings,
    SecurityOpt: strings,
    MaskedPaths: strings,
    ReadonlyPaths: strings,
    Binds: list,
    Devices: list,
    DeviceRequests: list,
    DeviceCgroupRules: list,
    VolumesFrom: list,
    GroupAdd: list,
    ExtraHosts: list,
    Links: list,
    PortBindings: z.record(z.string(), z.unknown()).nullish(),
    Sysctls: z.record(z.string(), z.unknown()).nullish(),
    Memory: number,
    MemorySwap: number,
    MemorySwappiness: number,
    NanoCpus: number,
    PidsLimit: number,
  }),
  Mounts: z.array(
    z.object({
      Type: z.string(),
      Source: z.string(),
      Destination: z.string(),
      Name: z.string().nullish(),
      RW: z.boolean(),
      Propagation: z.string().nullish(),
    }),
  ),
});

type Inspected = z.infer<typeof inspectSchema>;
type Host = Inspected['HostConfig'];

function compareConfig(
  asked: Dockerode.ContainerCreateOptions,
  got: Inspected['Config'],
  isPodman: boolean,
  expectSame: Compare,
): void {
  expectSame('User', asked.User, got.User);
  const environment = new Set(got.Env ?? []);
  // The image may add variables. They are trusted as little as the image.
  expectSame(
    'missing of Env',
    [],
    (asked.Env ?? []).filter((entry) => !environment.has(entry)),
  );
  if (got.Entrypoint !== undefined)
    expectSame(
      'Entrypoint and Cmd',
      [asked.Entrypoint ?? [], asked.Cmd ?? []].flat(),
      [got.Entrypoint ?? [], got.Cmd ?? []].flat(),
    );
  for (const name of ['WorkingDir', 'OpenStdin', 'StdinOnce', 'Tty'] as const) {
    // Podman keeps the input open, and does not report that it closes with the first client that leaves.
    if (isPodman && name === 'StdinOnce') continue;
    if (got[name] !== undefined) expectSame(name, asked[name], got[name]);
  }
  for (const [name, value] of Object.entries(asked.Labels ?? {})) {
    if (got.Labels !== undefined) expectSame(`label ${name}`, value, got.Labels?.[name]);
  }
}

function compareHost(want: Dockerode.HostConfig, got: Host, isPodman: boolean, expectSame: Compare): void {
  expectSame('NetworkMode', want.NetworkMode, got.NetworkMode);
  expectSame('ReadonlyRootfs', true, got.ReadonlyRootfs);
  expectSame('Privileged', false, got.Privileged);
  // Podman reports `shareable` for private shared memory that nothing shares yet.
  if (!isPodman || got.IpcMode !== 'shareable') expectSame('IpcMode', want.IpcMode, got.IpcMode);
  expectSame('PidMode', '', got.PidMode === 'private' ? '' : (got.PidMode ?? ''));
  expectSame('UTSMode', '', got.UTSMode === 'private' ? '' : (got.UTSMode ?? ''));
  if (!isPodman) expectSame('UsernsMode', want.UsernsMode ?? '', got.UsernsMode ?? '');
  expectSame('shares control groups', false, got.CgroupnsMode === 'host');
  expectSame('CapAdd', [], got.CapAdd ?? []);
  expectSame('drops all capabilities', true, dropsAll(got.CapDrop ?? []));
  expectSame('SecurityOpt', securityOptions(want.SecurityOpt), securityOptions(got.SecurityOpt));
  for (const name of ['Init', 'AutoRemove', 'PublishAllPorts', 'OomKillDisable'] as const)
    expectSame(name, false, got[name] ?? false);
  if (got.RestartPolicy !== undefined) expectSame('RestartPolicy', 'no', got.RestartPolicy?.Name || 'no');
  // Podman's own log has this name on the Docker socket.
  const isPodmansLog = isPodman && got.LogConfig?.Type === 'json-file';
  if (got.LogConfig !== undefined && !isPodmansLog) expectSame('LogConfig', want.LogConfig?.Type, got.LogConfig?.Type);
  for (const name of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit'] as const) {
    if (want[name] !== undefined) expectSame(name, want[name], got[name]);
  }
  // Some systems ignore these, and none of them weakens the protection.
  for (const name of ['MemorySwappiness', 'OomScoreAdj', 'ShmSize'] as const) {
    if (typeof got[name] === 'number' && want[name] !== undefined && !isPodman) expectSame(name, want[name], got[name]);
  }
  if (got.Ulimits !== undefined && want.Ulimits !== undefined)
    expectSame('Ulimits', limitsOf(want.Ulimits), limitsOf(got.Ulimits));
  if (got.Tmpfs !== undefined && !isPodman) expectSame('Tmpfs', sorted(want.Tmpfs), sorted(got.Tmpfs));
  // The engine decides this list, which hides parts of /proc and /sys. An empty list would show them. Podman does not
  // report it (null); there, it is checked from inside the container (`image-capabilities.ts`).
  if (got.MaskedPaths !== undefined && !(isPodman && got.MaskedPaths === null))
    expectSame('hides /proc/kcore', true, got.MaskedPaths?.includes('/proc/kcore') ?? false);
  if (got.ReadonlyPaths !== undefined && !(isPodman && got.ReadonlyPaths === null))
    expectSame('protects /proc/sys', true, got.ReadonlyPaths?.includes('/proc/sys') ?? false);
}

/** `podman` is what was asked of Podman, which lists every mount again among the binds. */
function emptyLists(got: Host, podman: Dockerode.ContainerCreateOptions | null): Record<string, unknown> {
  const asked = (podman?.HostConfig?.Mounts ?? []).map(({ Source, Target }) => `${Source}:${Target}:`);
  return {
    Binds: (got.Binds ?? []).filter((bind) => !asked.some((start) => String(bind).startsWith(start))),
    Devices: got.Devices ?? [],
    DeviceRequests: got.DeviceRequests ?? [],
    DeviceCgroupRules: got.DeviceCgroupRules ?? [],
    VolumesFrom: got.VolumesFrom ?? [],
    GroupAdd: got.GroupAdd ?? [],
    ExtraHosts: got.ExtraHosts ?? [],
    Links: got.Links ?? [],
    PortBindings: Object.keys(got.PortBindings ?? {}),
    Sysctls: Object.keys(got.Sysctls ?? {}),
  };
}

// Podman returns the full list of capabilities instead of `ALL`.
function dropsAll(dropped: readonly string[]): boolean {
  return dropped.includes('ALL') || dropped.length >= 11;
}

// In one spelling and order: `no-new-privileges` may have no value, and the profile may be formatted differently.
function securityOptions(options: readonly string[] | null | undefined): readonly string[] {
  return (options ?? [])
    .map((option) => {
      if (/^no-new-privileges(?:[:=]true)?$/.test(option)) return 'no-new-privileges';
      if (!option.startsWith('seccomp=')) return option;
      const value = option.slice('seccomp='.length);
      return `seccomp=${value.startsWith('{') ? JSON.stringify(jsonOrText(value)) : value}`;
    })
    .sort();
}

function limitsOf(limits: unknown): readonly string[] {
  const parsed = z.array(z.object({ Name: z.string(), Soft: z.number(), Hard: z.number() })).safeParse(limits ?? []);
  if (!parsed.success) return ['unknown'];
  const name = (text: string): string => text.toLowerCase().replace(/^rlimit_/, '');
  return parsed.data.map(({ Name, Soft, Hard }) => `${name(Name)} ${Soft} ${Hard}`).sort();
}

function sorted(record: Readonly<Record<string, string>> | null | undefined): readonly (readonly [string, string])[] {
  return Object.entries(record ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
}

function wantedMounts(asked: Dockerode.ContainerCreateOptions): string[] {
  const mounts = asked.HostConfig?.Mounts ?? [];
  return mounts
    .map((mount) => {
      const spread = mount.Type === 'bind' ? (mount.BindOptions?.Propagation ?? '') : '';
      return `${mount.Type} ${mount.Source} ${mount.Target} ${mount.ReadOnly === true ? 'ro' : 'rw'} ${spread}`;
    })
    .sort();
}

// Some engines list memory disks among the mounts, some do not. One that was not asked for is a difference.
function foundMounts(mounts: Inspected['Mounts'], tmpfs: Readonly<Record<string, string>>): string[] {
  return mounts
    .filter((mount) => mount.Type !== 'tmpfs' || tmpfs[mount.Destination] === undefined)
    .map((mount) => {
      const source = mount.Type === 'volume' ? (mount.Name ?? '') : mount.Source;
      const spread = mount.Type === 'bind' ? (mount.Propagation ?? 'rprivate') : '';
      return `${mount.Type} ${source} ${mount.Destination} ${mount.RW ? 'rw' : 'ro'} ${spread}`;
    })
    .sort();
}

function withoutPrefix(id: string): string {
  return id.replace(/^sha256:/, '');
}

function short(text: string | undefined): string {
  const shown = text ?? 'missing';
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}
