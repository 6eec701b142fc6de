import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import table from '../../../../resources/platforms.json';

/**
 * Which package brings which file for which machine. `resources/platforms.json` is the only list; starting, packing and
 * tests read it, too.
 */
type PlatformTable = Readonly<Record<string, PlatformFiles>>;

interface PlatformFiles {
  readonly packages: Readonly<Record<PlatformPart, { readonly package: string; readonly file: string }>>;
}

export type PlatformPart = 'node' | 'engine' | 'search' | 'keys';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

const platforms: PlatformTable = table;

/** The package and the file in it; null if none is published for such a machine. */
export function platformFile(
  part: PlatformPart,
  { platform, arch }: Machine = process,
): { readonly package: string; readonly file: string } | null {
  return platforms[`${platform}-${arch}`]?.packages[part] ?? null;
}

/** The program for helper processes: this one if it is Node, otherwise the Node from a package. */
export function findNode(root: string, machine: Machine = process): string {
  if (process.versions.electron === undefined && machine === process) return process.execPath;
  const known = platformFile('node', machine);
  const packaged = known === null ? null : join(root, 'node_modules', known.package, known.file);
  if (packaged !== null && existsSync(packaged)) return packaged;
  return join(dirname(process.execPath), machine.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * The path of ripgrep, from the package for this platform; the generic package throws if `import.meta` differs from
 * what it expects. In a packed app, the binary is beside the archive, not in it. Null: there is none.
 */
export function findRipgrep(from: string = import.meta.url, machine: Machine = process): string | null {
  const known = platformFile('search', machine);
  if (known === null) return null;
  try {
    const path = createRequire(from).resolve(`${known.package}/${known.file}`);
    return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
  } catch {
    // There is no package for this machine; the caller reports it.
    return null;
  }
}
