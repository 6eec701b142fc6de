import type { Ecosystem, FolderPart } from './dependency-part.ts';
import type { ProjectTop } from './package-files.ts';
import { hostsIn, withoutComments } from './source-hosts.ts';

/** A package manager whose cache is a folder that works unchanged in every session. */
interface CachedKind {
  readonly ecosystem: Ecosystem;
  readonly tool: string;
  /** All of these that a folder has determine what is installed. It needs the first. */
  readonly files: readonly string[];
  /** Null: the project needs nothing. */
  readonly commands: (top: ProjectTop) => readonly string[] | null;
  /** What a session's commands get to find the packages and to ask for no others. `place` is where the volume is. */
  readonly environment: (place: string) => Readonly<Record<string, string>>;
}

const kinds: readonly CachedKind[] = [
  {
    ecosystem: 'go',
    tool: 'go',
    files: ['go.mod', 'go.sum', 'go.work'],
    commands: ({ texts }) => {
      const needs = /^require\b/mu.test(texts.get('go.mod') ?? '');
      return needs ? ['GOMODCACHE=/deps/go GOFLAGS=-modcacherw go mod download'] : null;
    },
    // The cache has the form of a proxy, so that nothing else is asked.
    environment: (place) => ({
      GOMODCACHE: place,
      GOPROXY: `file://${place}/cache/download`,
      GOSUMDB: 'off',
      GOFLAGS: '-modcacherw',
    }),
  },
  {
    ecosystem: 'rust',
    tool: 'cargo',
    files: ['Cargo.toml', 'Cargo.lock'],
    commands: ({ texts }) => {
      const toml = texts.get('Cargo.toml') ?? '';
      const needs = /^\[(?:workspace|(?:.+\.)?(?:dev-|build-)?dependencies)\b/mu.test(toml);
      const locked = texts.has('Cargo.lock') ? ' --locked' : '';
      return needs ? [`CARGO_HOME=/deps/rust cargo fetch${locked}`] : null;
    },
    environment: (place) => ({ CARGO_HOME: place, CARGO_NET_OFFLINE: 'true' }),
  },
];

/** How to install what the package managers of other languages than Python and JavaScript fetch. */
export function findOtherPart(ecosystem: Ecosystem, top: ProjectTop): FolderPart | null {
  const kind = kinds.find((one) => one.ecosystem === ecosystem);
  const [first = ''] = kind?.files ?? [];
  if (kind === undefined || !top.texts.has(first)) return null;
  const commands = kind.commands(top);
  if (commands === null) return null;
  const files = kind.files.filter((name) => top.texts.has(name));
  const hosts = lockedHosts(top, files);
  return { ecosystem, tool: kind.tool, files, commands, isNeeded: true, hosts };
}

/** The variables of a session for packages of this kind. Empty for Python and JavaScript. */
export function cacheEnvironment(ecosystem: Ecosystem, place: string): Readonly<Record<string, string>> {
  return kinds.find((one) => one.ecosystem === ecosystem)?.environment(place) ?? {};
}

function lockedHosts({ texts }: ProjectTop, files: readonly string[]): readonly string[] {
  const sources = files.map((name) => withoutComments(texts.get(name) ?? ''));
  return hostsIn(
    [...sources.join('\n').matchAll(/"(?:git|registry|sparse)\+(https:\/\/[^"]{1,300})"/g)]
      .map((one) => one[1])
      .join('\n'),
  );
}
