import { realpath } from 'node:fs/promises';
import { relative, sep, isAbsolute } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { ForwardedCall } from '../api/forward-router.ts';

const pathInput = z.object({
  place: z.object({ projectPath: z.string().nullish() }).nullish(),
  projectPath: z.string().nullish(),
  options: z.object({ projectPath: z.string().nullish() }).nullish(),
});

/**
 * What a browser may not ask for: settings are changed at the machine itself, and projects lie under `roots`
 * (links resolved). Throws `refused` or `bad-input`.
 */
export function createWebGuard(roots: readonly string[]): (call: ForwardedCall) => Promise<void> {
  return async ({ name, input }) => {
    if (name === 'settings.set') {
      throw new AppError('refused', 'Settings cannot be changed from the browser.', {
        hint: 'At the machine: dewpoint settings set KEY VALUE',
      });
    }
    if (name === 'rules.save' || name === 'rules.approve') {
      throw new AppError('refused', 'Rules cannot be changed from the browser.', {
        hint: 'At the machine: dewpoint rules path says where the file is',
      });
    }
    if (name === 'keys.set' || name === 'keys.remove') {
      throw new AppError('refused', 'Keys cannot be changed from the browser.', {
        hint: 'At the machine: dewpoint keys set PROVIDER',
      });
    }
    if (name === 'models.import' || name === 'models.remove') {
      throw new AppError('refused', 'Model files cannot be added or removed from the browser.', {
        hint: 'At the machine: dewpoint models import FILE, dewpoint models remove NAME',
      });
    }
    if (name === 'projects.prepare' || name === 'clean') {
      throw new AppError('refused', 'Packages cannot be installed or removed from the browser.', {
        hint: 'At the machine: dewpoint projects prepare DIR, dewpoint clean',
      });
    }
    if (name === 'sessions.export' || name === 'sessions.import') {
      throw new AppError('refused', 'Sessions cannot be exported or imported from the browser.', {
        hint: 'At the machine: dewpoint sessions export SESSION FILE',
      });
    }
    if (name === 'attachments.keep' && Reflect.get(Object(input), 'path') !== undefined) {
      throw new AppError('refused', 'A browser names no paths of this machine.');
    }
    const parsed = pathInput.safeParse(input);
    if (!parsed.success) return;
    for (const path of [parsed.data.projectPath, parsed.data.place?.projectPath, parsed.data.options?.projectPath]) {
      if (path !== undefined && path !== null) await requireUnder(roots, path);
    }
  };
}

async function requireUnder(roots: readonly string[], path: string): Promise<void> {
  if (!isAbsolute(path))
    throw new AppError('bad-input', 'Give the whole path of the project folder, from the root on.');
  const real = await realpath(path).catch(() => null);
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  // The same answer for a folder that is missing and one that is elsewhere: the browser learns nothing about others.
  if (real === null || !realRoots.some((root) => isUnder(root, real))) {
    throw new AppError('refused', `There is no folder ${path} under ${roots.join(' or ')}.`, {
      hint: 'Start it with the folder your projects are in: dewpoint serve --root DIR',
    });
  }
}

function isUnder(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
