import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { HostPrograms } from '../../lib/programs/host-programs.ts';

/**
 * By the system's own way to open something. Not the address itself: every user of the machine can read the
 * arguments of a program, so the token goes by way of a file that is this user's alone.
 * False where there is nothing to open it with.
 */
export async function openInBrowser(url: string, launchFile: string, programs: HostPrograms): Promise<boolean> {
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">\n`;
  await writeFile(launchFile, page, { mode: 0o600 });
  const [name, args] = openerOf(pathToFileURL(launchFile).href, process.platform);
  const program = await programs.find(name);
  if (program === null) return false;
  // The browser itself may come of it, and it goes to the network.
  const how = { needs: ['network', 'desktop'], stdio: 'ignore', detached: true, isSeen: true } as const;
  const child = programs.start(program, args, how);
  child.unref();
  return new Promise((resolve) => child.once('spawn', () => resolve(true)).once('error', () => resolve(false)));
}

function openerOf(url: string, platform: NodeJS.Platform): readonly [string, string[]] {
  if (platform === 'darwin') return ['open', [url]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}
