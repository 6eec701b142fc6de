import { dirname, join } from 'node:path';
import type { HostPrograms, Program } from '../../lib/programs/host-programs.ts';
import { isProgram, isWholePath } from '../../lib/programs/search-path.ts';

/**
 * The npm that started this program, which need not be on the PATH; else the one that is. Null where there is none. On
 * Windows npm is a `.cmd` file, which only a shell can start: what it starts is started.
 */
export async function findNpm(
  node: string,
  programs: HostPrograms,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Program | null> {
  const own = env.npm_execpath ?? '';
  if (own.endsWith('npm-cli.js') && isWholePath(own, process.platform) && (await programs.isOutside(own)))
    return [node, own];
  if (process.platform !== 'win32') {
    const npm = await programs.find('npm');
    return npm === null ? null : [npm];
  }
  const script = await programs.find('npm.cmd');
  const path = script === null ? '' : join(dirname(script), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return path !== '' && isProgram(path) ? [node, path] : null;
}
