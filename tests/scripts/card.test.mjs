import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findCard } from '../../scripts/setup/card.mjs';

const drm = mkdtempSync(join(tmpdir(), 'dewpoint-drm-'));
afterEach(() => rmSync(drm, { recursive: true, force: true }));
const machine = { platform: 'linux', arch: 'x64', nvidiaSmi: () => '', drm };

describe('a graphics card for the tests', () => {
  it('may be made by NVIDIA, AMD or Apple', () => {
    const listed = 'GPU 0: NVIDIA H200 (UUID: GPU-1)\n';
    expect(findCard({ ...machine, nvidiaSmi: () => listed })).toEqual({ ok: true, kind: 'cuda' });
    expect(findCard({ ...machine, platform: 'darwin', arch: 'arm64' })).toEqual({ ok: true, kind: 'metal' });
    mkdirSync(join(drm, 'card0', 'device'), { recursive: true });
    writeFileSync(join(drm, 'card0', 'device', 'mem_info_vram_total'), '8589934592\n');
    expect(findCard(machine)).toEqual({ ok: true, kind: 'vulkan' });
  });

  it('is reported as missing with a reason', () => {
    expect(findCard({ ...machine, nvidiaSmi: () => 'No devices found.\n' })).toMatchObject({ ok: false });
    expect(findCard({ ...machine, platform: 'darwin' })).toMatchObject({ ok: false });
  });
});
