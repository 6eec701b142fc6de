import { z } from 'zod';
import type Dockerode from 'dockerode';

/**
 * What the engine says it made, compared with what was asked for, in every field that protects something. Engines
 * drop fields they do not know without a word, so a container with any difference must not be started.
 * Returns the differences in words; an empty list means that all is as asked.
 */
export function verifyContainer(asked: Dockerode.ContainerCreateOptions, inspected: unknown): readonly string[] {
  const parsed = inspectSchema.safeParse(inspected);
  if (!parsed.success) return ['the engine described the container in an unknown form'];
  const { HostConfig: got, Config: config, Mounts: mounted } = parsed.data;
  const want = asked.HostConfig ?? {};
  const differences: string[] = [];
  const expectSame = (name: string, wanted: unknown, found: unknown): void => {
    if (JSON.stringify(wanted) !== JSON.stringify(found)) {
      differences.push(`${name} is ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
    }
  };
  expectSame('User', asked.User, config.User);
  expectSame('NetworkMode', want.NetworkMode, got.NetworkMode);
  expectSame('ReadonlyRootfs', true, got.ReadonlyRootfs);
  expectSame('Privileged', false, got.Privileged);
  expectSame('IpcMode', want.IpcMode, got.IpcMode);
  expectSame('PidMode', '', got.PidMode ?? '');
  expectSame('UTSMode', '', got.UTSMode ?? '');
  expectSame('CapAdd', [], got.CapAdd ?? []);
  expectSame('drops all capabilities', true, dropsAll(got.CapDrop ?? []));
  expectSame(
    'no-new-privileges',
    true,
    (got.SecurityOpt ?? []).some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option)),
  );
  for (const [name, list] of Object.entries(emptyLists(got))) expectSame(name, [], list);
  for (const name of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit'] as const) {
    if (want[name] !== undefined) expectSame(name, want[name], got[name]);
  }
  expectSame('mounts', wantedMounts(asked), foundMounts(mounted));
  return differences;
}

const nullishList = z.array(z.unknown()).nullish();

const inspectSchema = z.object({
  Config: z.object({ User: z.string() }),
  HostConfig: z.object({
    NetworkMode: z.string(),
    ReadonlyRootfs: z.boolean(),
    Privileged: z.boolean(),
    IpcMode: z.string(),
    PidMode: z.string().nullish(),
    UTSMode: z.string().nullish(),
    CapAdd: z.array(z.string()).nullish(),
    CapDrop: z.array(z.string()).nullish(),
    SecurityOpt: z.array(z.string()).nullish(),
    Binds: nullishList,
    Devices: nullishList,
    DeviceRequests: nullishList,
    VolumesFrom: nullishList,
    GroupAdd: nullishList,
    ExtraHosts: nullishList,
    PortBindings: z.record(z.string(), z.unknown()).nullish(),
    Memory: z.number().nullish(),
    MemorySwap: z.number().nullish(),
    NanoCpus: z.number().nullish(),
    PidsLimit: z.number().nullish(),
  }),
  Mounts: z.array(
    z.object({
      Type: z.string(),
      Source: z.string(),
      Destination: z.string(),
      Name: z.string().nullish(),
      RW: z.boolean(),
    }),
  ),
});

type Inspected = z.infer<typeof inspectSchema>;

function emptyLists(got: Inspected['HostConfig']): Record<string, unknown> {
  return {
    Binds: got.Binds ?? [],
    Devices: got.Devices ?? [],
    DeviceRequests: got.DeviceRequests ?? [],
    VolumesFrom: got.VolumesFrom ?? [],
    GroupAdd: got.GroupAdd ?? [],
    ExtraHosts: got.ExtraHosts ?? [],
    PortBindings: Object.keys(got.PortBindings ?? {}),
  };
}

// Podman answers with the full list of capabilities instead of the word.
function dropsAll(dropped: readonly string[]): boolean {
  return dropped.includes('ALL') || dropped.length >= 11;
}

function wantedMounts(asked: Dockerode.ContainerCreateOptions): string[] {
  const list = asked.HostConfig?.Mounts ?? [];
  return list
    .map((mount) => `${mount.Type} ${mount.Source} ${mount.Target} ${mount.ReadOnly === true ? 'ro' : 'rw'}`)
    .sort();
}

// Memory disks are not bound to anything and are left out: some engines list them, some do not.
function foundMounts(mounts: Inspected['Mounts']): string[] {
  return mounts
    .filter((mount) => mount.Type !== 'tmpfs')
    .map(
      (mount) =>
        `${mount.Type} ${mount.Type === 'volume' ? (mount.Name ?? '') : mount.Source} ${mount.Destination} ${mount.RW ? 'rw' : 'ro'}`,
    )
    .sort();
}
