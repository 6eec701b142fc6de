import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import table from '../../../../resources/platforms.json';

/**
 * Which package brings what for which machine, and under which name. `resources/platforms.json` says it once: the start,
 * packing and tests read it, too.
 */
type PlatformTable = Readonly<Record<string, PlatformFiles>>;

interface PlatformFiles {
  readonly packages: Readonly<Record<PlatformPart, { readonly package: string; readonly file: string }>>;
}

export type PlatformPart = 'node' | 'engine' | 'search' | 'keys' | 'database';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

const platforms: PlatformTable = table;

/** The package and the file in it; null where none is published for such a machine. */
export function platformFile(
  part: PlatformPart,
  { platform, arch }: Machine = process,
): { readonly package: string; readonly file: string } | null {
  return platforms[`${platform}-${arch}`]?.packages[part] ?? null;
}

/** The program for processes beside this one: this one where it is Node, else the Node that came by package. */
export function findNode(root: string, machine: Machine = process): string {
  if (process.versions.electron === undefined && machine === process) return process.execPath;
  const known = platformFile('node', machine);
  const packaged = known === null ? null : join(root, 'node_modules', known.package, known.file);
  if (packaged !== null && existsSync(packaged)) return packaged;
  return join(dirname(process.execPath), machine.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * Where ripgrep lies, by the package of this platform: the package above it throws where `import.meta` is not what it
 * expects. In a packed app the binary lies beside the archive, not in it. Null where there is none.
 */
export function findRipgrep(from: string = import.meta.url, machine: Machine = process): string | null {
  const known = platformFile('search', machine);
  if (known === null) return null;
  try {
    const path = createRequire(from).resolve(`${known.package}/${known.file}`);
    return path.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
  } catch {
    // The package is not there for this machine; the caller says so.
    return null;
  }
}
