import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './run.mjs';

/**
 * Finds which engine library fits this machine's graphics card, or says why none does. On a Mac, every engine already
 * has Metal.
 * @param {{platform?: NodeJS.Platform, arch?: string, nvidiaSmi?: () => string, drm?: string}} [machine] for tests
 * @returns {{ok: true, kind: 'cuda' | 'vulkan' | 'metal'} | {ok: false, message: string}}
 */
export function findCard({
  platform = process.platform,
  arch = process.arch,
  nvidiaSmi = listNvidia,
  drm = '/sys/class/drm',
} = {}) {
  if (platform === 'darwin') {
    return arch === 'arm64' ? { ok: true, kind: 'metal' } : { ok: false, message: 'no graphics of Apple here' };
  }
  if (/^GPU \d/mu.test(nvidiaSmi())) return { ok: true, kind: 'cuda' };
  const cards = existsSync(drm) ? readdirSync(drm) : [];
  if (cards.some((card) => existsSync(join(drm, card, 'device', 'mem_info_vram_total')))) {
    return { ok: true, kind: 'vulkan' };
  }
  return { ok: false, message: 'no graphics card here: nvidia-smi names none, and there is none of AMD' };
}

function listNvidia() {
  return capture('nvidia-smi', ['-L'], { timeoutMs: 10_000 }).stdout;
}
