import { describe, expect, it } from 'vitest';
import type { DeviceMemory } from '@shared/models/memory-estimate.ts';
import { parseNvidiaFacts, readCardFacts } from '../../../../src/main/models/machine/card-facts.ts';
import type { HardwareProbe } from '../../../../src/main/models/machine/hardware.ts';

const signal = new AbortController().signal;
const device = (
  name: string,
  source: DeviceMemory['source'],
  confidence: DeviceMemory['confidence'],
): DeviceMemory => ({
  name,
  source,
  confidence,
  totalBytes: 8 * 2 ** 30,
  freeBytes: 8 * 2 ** 30,
  driverBytes: 0,
  isUnified: false,
  note: null,
});

interface Answers {
  readonly platform?: NodeJS.Platform;
  /** The output of each program, keyed by its command line. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
}

function machine({ platform = 'linux', programs = {}, folders = {}, files = {}, links = {} }: Answers): HardwareProbe {
  return {
    platform,
    run: async (program, args) => programs[`${program} ${args[0] ?? ''}`] ?? null,
    read: async (path) => files[path] ?? null,
    list: async (path) => folders[path] ?? [],
    link: async (path) => links[path] ?? null,
    memory: () => ({ totalBytes: 0, freeBytes: 0 }),
  };
}

describe('the answer of nvidia-smi about its driver', () => {
  it('has the driver and the weakest card, or only the driver from an older tool', () => {
    expect(parseNvidiaFacts('580.95.05, 8.9\n580.95.05, 6.1\n')).toEqual({ driver: '580.95.05', capability: 6.1 });
    expect(parseNvidiaFacts('470.256.02\n')).toEqual({ driver: '470.256.02', capability: null });
    expect(parseNvidiaFacts('591.44, [N/A]\r\n')).toEqual({ driver: '591.44', capability: null });
    expect(parseNvidiaFacts('No devices were found')).toBeNull();
  });
});

describe('the facts about the cards', () => {
  it("are read on Linux from the loader's cache and the engine's search path", async () => {
    const probe = machine({
      programs: {
        'nvidia-smi --query-gpu=driver_version,compute_cap': '580.95.05, 8.9\n',
        '/sbin/ldconfig -p': `2 libs found in cache
\tlibcudart.so.13 (libc6,x86-64) => /opt/cuda/lib64/libcudart.so.13
\tlibcudart.so.12 (libc6) => /opt/cuda/lib/libcudart.so.12
\tlibz.so.1 (libc6,x86-64) => /lib/libz.so.1
`,
      },
      folders: {
        '/usr/local': ['bin', 'cuda', 'cuda-13.1'],
        '/usr/local/cuda-13.1/targets': ['x86_64-linux'],
        '/usr/local/cuda-13.1/targets/x86_64-linux/lib': ['libcublas.so.13', 'libcublas.so.13.2.0', 'libnpp.so'],
        '/usr/lib/x86_64-linux-gnu': ['libcuda.so.1', 'libvulkan.so.1', 'libc.so.6'],
        '/own': ['libcublasLt.so.13'],
      },
    });
    const devices = [device('RTX 4070', 'nvidia-smi', 'high')];
    const facts = await readCardFacts(probe, { devices, arch: 'x64', env: { LD_LIBRARY_PATH: '/own' } }, signal);
    expect(facts.nvidia).toEqual({ driver: '580.95.05', capability: 8.9 });
    expect([...facts.loadable].sort()).toEqual([
      'libcublasLt.so.13',
      'libcuda.so.1',
      'libcudart.so.13',
      'libvulkan.so.1',
    ]);
    expect([...facts.lookedUp].sort()).toEqual([
      'libcublas.so.13',
      'libcublasLt.so.13',
      'libcuda.so.1',
      'libvulkan.so.1',
    ]);
  });

  it('name cards that no tool reports, and mark graphics of a processor', async () => {
    const vendor = (entry: string): string => `/sys/class/drm/${entry}/device/vendor`;
    const probe = machine({
      folders: { '/sys/class/drm': ['card0', 'card0-DP-1', 'card1', 'card2', 'renderD128'] },
      files: { [vendor('card0')]: '0x8086\n', [vendor('card1')]: '0x8086\n', [vendor('card2')]: '0x10de\n' },
      links: {
        '/sys/class/drm/card0/device': '../../../0000:00:02.0',
        '/sys/class/drm/card1/device': '../../../0000:03:00.0',
      },
    });
    const { cards } = await readCardFacts(probe, { devices: [], arch: 'x64', env: {} }, signal);
    expect(cards.map(({ name, maker, isIntegrated }) => [name, maker, isIntegrated])).toEqual([
      ['Intel graphics', 'intel', true],
      ['an Intel Arc card', 'intel', false],
      ['a card of NVIDIA', 'nvidia', false],
    ]);
  });

  it('are read on Windows by the names of the cards, with its own folders', async () => {
    const system = String.raw`C:\Windows\System32`;
    const bin = String.raw`C:\cuda\bin`;
    const probe = machine({
      platform: 'win32',
      folders: { [system]: ['vulkan-1.dll', 'kernel32.dll'], [bin]: ['cublas64_13.dll'] },
    });
    const names = [
      'AMD Radeon RX 7900 XTX',
      'AMD Radeon(TM) Graphics',
      'AMD Radeon 780M Graphics',
      'Intel(R) UHD Graphics 770',
      'Intel(R) Arc(TM) A770 Graphics',
      'Intel(R) Arc(TM) 140V Graphics',
      'NVIDIA GeForce RTX 3060',
    ];
    const devices = names.map((name) => device(name, 'windows-registry', 'low'));
    const facts = await readCardFacts(probe, { devices, arch: 'x64', env: { Path: bin } }, signal);
    expect(facts.cards.map(({ isIntegrated }) => isIntegrated)).toEqual([false, true, true, true, false, true, false]);
    expect([...facts.loadable].sort()).toEqual(['cublas64_13.dll', 'vulkan-1.dll']);
  });
});
