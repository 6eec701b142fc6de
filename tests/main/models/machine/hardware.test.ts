import { describe, expect, it } from 'vitest';
import { readHardware } from '../../../../src/main/models/machine/hardware.ts';
import type { HardwareProbe } from '../../../../src/main/models/machine/hardware.ts';
import type { EngineCards } from '../../../../src/main/models/engine/worker/worker-protocol.ts';
import {
  parseAmdgpu,
  parseDisplayAdapters,
  parseMeminfo,
  parseMetal,
  parseNvidiaSmi,
  parseRocmSmi,
} from '../../../../src/main/models/machine/parse-hardware.ts';

const mib = 1024 ** 2;
const gib = 1024 ** 3;

// Outputs in the form that the vendors' tools print. Names and places belong to no particular machine.
const nvidia = `NVIDIA GeForce RTX 4090, 24564, 23028, 00000000:01:00.0
NVIDIA GeForce RTX 3060, 12288, 11911, 00000000:02:00.0
NVIDIA GB10, [N/A], [N/A], 0000000F:01:00.0
`;
const rocm = `WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"VRAM Total Memory (B)": "25753026560", "VRAM Total Used Memory (B)": "27258880", "PCI Bus": "0000:03:00.0", "Card Series": "Radeon RX 7900 XTX"}, "card1": {"VRAM Total Memory (B)": "536870912", "VRAM Total Used Memory (B)": "34557952", "PCI Bus": "0000:0D:00.0", "Card series": "Raphael"}, "system": {"Driver version": "6.8.5"}}
`;
const meminfo = `MemTotal:       24608676 kB
MemFree:         1234567 kB
MemAvailable:   18874368 kB
Buffers:          318472 kB
`;

describe('the output of a vendor tool', () => {
  it('is read from nvidia-smi, without a card that has no numbers', () => {
    expect(parseNvidiaSmi(nvidia)).toEqual([
      { name: 'NVIDIA GeForce RTX 4090', totalBytes: 24564 * mib, freeBytes: 23028 * mib, pciBus: '01:00.0' },
      { name: 'NVIDIA GeForce RTX 3060', totalBytes: 12288 * mib, freeBytes: 11911 * mib, pciBus: '02:00.0' },
    ]);
    expect(parseNvidiaSmi("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")).toEqual([]);
    expect(parseNvidiaSmi('')).toEqual([]);
  });

  it('is read from rocm-smi, whose first line may be a warning', () => {
    expect(parseRocmSmi(rocm)).toEqual([
      {
        name: 'Radeon RX 7900 XTX',
        totalBytes: 25753026560,
        freeBytes: 25753026560 - 27258880,
        pciBus: '03:00.0',
      },
      { name: 'Raphael', totalBytes: 536870912, freeBytes: 536870912 - 34557952, pciBus: '0d:00.0' },
    ]);
    expect(parseRocmSmi('ERROR: GPU[0] : not supported')).toEqual([]);
    expect(parseRocmSmi('{"card0": 7}')).toEqual([]);
  });

  it('is read from the files of amdgpu, without memory shared with the host', () => {
    const files = {
      mem_info_vram_total: '536870912\n',
      mem_info_vram_used: '100000000\n',
      mem_info_gtt_total: '16000000000\n',
    };
    expect(parseAmdgpu({ ...files, product_name: null }, '0000:0d:00.0')).toEqual({
      name: 'AMD graphics',
      totalBytes: 536870912,
      freeBytes: 436870912,
      pciBus: '0d:00.0',
      sharedBytes: 16000000000,
    });
    expect(parseAmdgpu({ mem_info_vram_total: null }, null)).toBeNull();
  });

  it('has the working set of Metal: the set limit, or the usual share', () => {
    expect(parseMetal('hw.memsize: 17179869184\niogpu.wired_limit_mb: 0\n')).toEqual({
      workingSetBytes: Math.floor((16 * gib * 2) / 3),
      isSet: false,
    });
    expect(parseMetal('hw.memsize: 137438953472\niogpu.wired_limit_mb: 122880\n')).toEqual({
      workingSetBytes: 120 * gib,
      isSet: true,
    });
    expect(parseMetal('sysctl: unknown oid')).toBeNull();
  });

  it('has the memory that the host can spare', () => {
    expect(parseMeminfo(meminfo)).toEqual({ totalBytes: 24608676 * 1024, availableBytes: 18 * gib });
    expect(parseMeminfo('nothing')).toBeNull();
  });
});

/** A machine with scripted answers. */
function machine(answers: {
  readonly platform?: NodeJS.Platform;
  readonly programs?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly seen?: EngineCards | null;
}): HardwareProbe {
  const { platform = 'linux', programs = {}, files = {}, links = {}, seen } = answers;
  return {
    platform,
    run: async (program) => programs[program] ?? null,
    read: async (path) => files[path] ?? null,
    list: async (path) => [
      ...new Set(
        Object.keys(files)
          .filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1).split('/')[0] ?? ''),
      ),
    ],
    link: async (path) => links[path] ?? null,
    memory: () => ({ totalBytes: 16 * gib, freeBytes: 8 * gib }),
    seenByEngine: async () => seen,
  };
}

const never = new AbortController().signal;

describe('the hardware of a machine', () => {
  it('has no cards when no tool and no file knows one', async () => {
    expect(await readHardware([], never, machine({ files: { '/proc/meminfo': meminfo } }))).toEqual({
      devices: [],
      host: { totalBytes: 24608676 * 1024, freeBytes: 18 * gib, source: '/proc/meminfo' },
    });
  });

  it('says whether the engine sees a card, if it was asked', async () => {
    const seen = async (of: EngineCards | null | undefined) =>
      (
        await readHardware(
          [],
          never,
          machine({ programs: { 'nvidia-smi': nvidia }, ...(of === undefined ? {} : { seen: of }) }),
        )
      ).isSeen;
    expect(await seen(undefined)).toBeUndefined();
    expect(await seen(null)).toBe(false);
  });

  it('has a source and a confidence for every number', async () => {
    const { devices } = await readHardware([], never, machine({ programs: { 'nvidia-smi': nvidia } }));
    expect(devices.map(({ name, source, confidence }) => [name, source, confidence])).toEqual([
      ['NVIDIA GeForce RTX 4090', 'nvidia-smi', 'high'],
      ['NVIDIA GeForce RTX 3060', 'nvidia-smi', 'high'],
    ]);
  });

  it('has one entry for a card that ROCm and the kernel see, and warns of integrated graphics', async () => {
    const folder = (card: number): string => `/sys/class/drm/card${card}/device`;
    const files = {
      [`${folder(0)}/mem_info_vram_total`]: '25753026560',
      [`${folder(0)}/mem_info_vram_used`]: '30000000',
      [`${folder(1)}/mem_info_vram_total`]: '536870912',
      [`${folder(1)}/mem_info_vram_used`]: '30000000',
      [`${folder(1)}/mem_info_gtt_total`]: '16000000000',
      '/sys/class/drm/card0-DP-1/status': 'connected',
    };
    const links = { [folder(0)]: '../../../0000:03:00.0', [folder(1)]: '../../../0000:0d:00.0' };
    const withTool = await readHardware([], never, machine({ programs: { 'rocm-smi': rocm }, files, links }));
    expect(withTool.devices.map(({ name, source }) => [name, source])).toEqual([
      ['Radeon RX 7900 XTX', 'rocm-smi'],
      ['Raphael', 'rocm-smi'],
    ]);
    const without = await readHardware([], never, machine({ files, links }));
    expect(without.devices.map(({ source, confidence, totalBytes }) => [source, confidence, totalBytes])).toEqual([
      ['amdgpu-sysfs', 'medium', 25753026560],
      ['amdgpu-sysfs', 'low', 536870912],
    ]);
    expect(without.devices[1]?.note).toContain('integrated');
  });

  it('is taken from the settings when they name cards', async () => {
    const said = [{ name: 'mine', totalBytes: 8 * gib }];
    const { devices } = await readHardware(said, never, machine({ programs: { 'nvidia-smi': nvidia } }));
    expect(devices.map(({ name, source, freeBytes }) => [name, source, freeBytes])).toEqual([
      ['mine', 'settings', 8 * gib],
    ]);
  });

  it('is the working set on a Mac, at most what is free', async () => {
    const sysctl = 'hw.memsize: 17179869184\niogpu.wired_limit_mb: 0\nhw.optional.arm64: 1\n';
    const { devices } = await readHardware([], never, machine({ platform: 'darwin', programs: { sysctl } }));
    expect(devices).toMatchObject([{ isUnified: true, source: 'metal', confidence: 'medium', freeBytes: 8 * gib }]);
  });

  it('respects the limit of a container', async () => {
    const files = {
      '/proc/meminfo': meminfo,
      '/sys/fs/cgroup/memory.max': `${4 * gib}\n`,
      '/sys/fs/cgroup/memory.current': `${gib}\n`,
    };
    expect((await readHardware([], never, machine({ files }))).host).toEqual({
      totalBytes: 4 * gib,
      freeBytes: 3 * gib,
      source: 'limit of the container',
    });
  });
});

describe('the sources for one card', () => {
  const one = 'NVIDIA GeForce RTX 4090, 24564, 23028, 00000000:01:00.0\n';
  const seen = (changes: Partial<EngineCards> = {}): EngineCards => ({
    backend: 'cuda',
    names: ['NVIDIA GeForce RTX 4090'],
    totalBytes: 24_100 * mib,
    freeBytes: 22_400 * mib,
    sharedBytes: 0,
    ...changes,
  });
  const devicesOf = async (answers: Parameters<typeof machine>[0], said: Parameters<typeof readHardware>[0] = []) =>
    (await readHardware(said, never, machine(answers))).devices;

  // Each source alone, in order of precedence. Each must lose to the one before it.
  const said = [{ name: 'mine', totalBytes: 8 * gib }];
  const amd = {
    '/sys/class/drm/card0/device/mem_info_vram_total': '25753026560',
    '/sys/class/drm/card0/device/mem_info_vram_used': '0',
  };
  const registry =
    'HKEY_LOCAL_MACHINE\\x\\0000\n  DriverDesc  REG_SZ  Intel Arc A770\n  HardwareInformation.qwMemorySize  REG_QWORD  0x3f5000000\n';
  it.each([
    ['what a person says', { programs: { 'nvidia-smi': one }, seen: seen() }, said, 'settings', 'medium'],
    ['the engine itself', { programs: { 'nvidia-smi': one }, seen: seen() }, [], 'engine', 'high'],
    ['nvidia-smi', { programs: { 'nvidia-smi': one } }, [], 'nvidia-smi', 'high'],
    ['rocm-smi', { programs: { 'rocm-smi': rocm }, files: amd }, [], 'rocm-smi', 'high'],
    ['the files of amdgpu', { files: amd }, [], 'amdgpu-sysfs', 'medium'],
    ["Windows' registry", { platform: 'win32', programs: { reg: registry } }, [], 'windows-registry', 'low'],
    [
      'nvidia-smi on Windows',
      { platform: 'win32', programs: { reg: registry, 'nvidia-smi': one } },
      [],
      'nvidia-smi',
      'high',
    ],
  ] as const)('use %s in its rank, with its confidence', async (_name, answers, cards, ...expected) => {
    const [first] = await devicesOf(answers, cards);
    expect([first?.source, first?.confidence]).toEqual(expected);
  });

  it('prefer the engine’s numbers, and show both when they differ', async () => {
    const agreed = await devicesOf({ programs: { 'nvidia-smi': one }, seen: seen() });
    expect(agreed).toEqual([
      {
        name: 'NVIDIA GeForce RTX 4090',
        totalBytes: 24_100 * mib,
        freeBytes: 22_400 * mib,
        driverBytes: 0,
        isUnified: false,
        source: 'engine',
        confidence: 'high',
        note: null,
      },
    ]);
    const other = await devicesOf({ programs: { 'nvidia-smi': one }, seen: seen({ freeBytes: 4_000 * mib }) });
    expect(other[0]?.note).toBe('nvidia-smi says 24.1 GB free, the engine 4.2 GB.');
  });

  it("prefer the tool's numbers when the engine gives only the sum of several cards", async () => {
    const two = await devicesOf({
      programs: { 'nvidia-smi': nvidia },
      seen: seen({ names: ['RTX 4090', 'RTX 3060'], totalBytes: 36_400 * mib, freeBytes: 34_000 * mib }),
    });
    expect(two.map(({ source, totalBytes }) => [source, totalBytes])).toEqual([
      ['nvidia-smi', 24564 * mib],
      ['nvidia-smi', 12288 * mib],
    ]);
    const unknown = await devicesOf({
      seen: seen({ backend: 'vulkan', names: ['a', 'b'], totalBytes: 16 * gib, freeBytes: 10 * gib }),
    });
    expect(unknown.map(({ confidence, freeBytes }) => [confidence, freeBytes])).toEqual([
      ['low', 5 * gib],
      ['low', 5 * gib],
    ]);
  });

  it('leave out a card that the engine does not use, and say so', async () => {
    const [used] = await devicesOf({ programs: { 'nvidia-smi': nvidia }, seen: seen() });
    expect(used?.note).toBe('The engine does not use NVIDIA GeForce RTX 3060.');
  });

  it("never count the host's memory as the card's", async () => {
    const graphics = seen({ backend: 'vulkan', names: ['Intel Graphics'], totalBytes: 12 * gib, freeBytes: 11 * gib });
    expect(await devicesOf({ seen: { ...graphics, sharedBytes: 12 * gib } })).toEqual([]);
    expect(await devicesOf({ seen: { ...graphics, sharedBytes: 4 * gib } })).toMatchObject([
      { totalBytes: 8 * gib, freeBytes: 7 * gib, confidence: 'medium' },
    ]);
  });

  it("use Metal's working set when the engine is asked", async () => {
    const sysctl = 'hw.memsize: 17179869184\niogpu.wired_limit_mb: 0\nhw.optional.arm64: 1\n';
    const metal = seen({
      backend: 'metal',
      names: ['Apple M2'],
      totalBytes: 11 * gib,
      freeBytes: 10 * gib,
      sharedBytes: 11 * gib,
    });
    expect(await devicesOf({ platform: 'darwin', programs: { sysctl }, seen: metal })).toMatchObject([
      { totalBytes: 11 * gib, freeBytes: 10 * gib, isUnified: true, source: 'metal', confidence: 'high' },
    ]);
  });

  it('include the registry of Windows, without adapters that have no memory', () => {
    expect(
      parseDisplayAdapters(`${registry}HKEY_LOCAL_MACHINE\\x\\0001\n  DriverDesc  REG_SZ  Basic Display\n`),
    ).toEqual([{ name: 'Intel Arc A770', totalBytes: 0x3f5000000 }]);
  });
});
