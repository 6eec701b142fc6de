import { z } from 'zod';
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
  /** A command that prints one line for each package in a volume. */
  readonly listing: (place: string) => string;
  /** Which addresses in the project's files lead to packages. */
  readonly addresses: (top: ProjectTop, files: readonly string[]) => string;
}

/** Runs the tests without any of them, because the plugins choose only then what they need to run them. */
const mavenTest =
  "mvn -B -q test -Dtest='*#noTestHasThisName' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false";
const rubyPlace = (place: string): Readonly<Record<string, string>> => ({ GEM_HOME: place, BUNDLE_APP_CONFIG: place });

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
    listing: (place) => `find ${place}/cache/download -name '*.zip'`,
    addresses: () => '',
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
    listing: (place) => `find ${place}/registry/cache -name '*.crate'`,
    addresses: ({ texts }, files) => files.map((name) => cargoAddresses(texts.get(name) ?? '')).join('\n'),
  },
  {
    ecosystem: 'java',
    tool: 'maven',
    files: ['pom.xml'],
    commands: () => [`MAVEN_OPTS=-Dmaven.repo.local=/deps/java ${mavenTest}`],
    environment: (place) => ({ MAVEN_OPTS: `-Dmaven.repo.local=${place}` }),
    listing: (place) => `find ${place} -name '*.jar'`,
    addresses: ({ texts }) => repositoriesOf(texts.get('pom.xml') ?? ''),
  },
  {
    ecosystem: 'ruby',
    tool: 'bundler',
    files: ['Gemfile', 'Gemfile.lock'],
    commands: ({ texts }) => {
      const frozen = texts.has('Gemfile.lock') ? ' BUNDLE_FROZEN=true' : '';
      return [`GEM_HOME=/deps/ruby BUNDLE_APP_CONFIG=/deps/ruby${frozen} bundle install`];
    },
    environment: rubyPlace,
    listing: (place) => `find ${place}/specifications -name '*.gemspec'`,
    // Neither file names anything else by its address.
    addresses: ({ texts }, files) => files.map((name) => withoutComments(texts.get(name) ?? '')).join('\n'),
  },
  {
    ecosystem: 'php',
    tool: 'composer',
    files: ['composer.json', 'composer.lock'],
    commands: ({ names }) =>
      names.has('vendor/')
        ? null
        : ['composer install --no-interaction --no-progress --no-scripts --prefer-dist', 'cp -a vendor/. /deps/php/'],
    environment: () => ({ COMPOSER_DISABLE_NETWORK: '1' }),
    listing: (place) => `find ${place} -mindepth 3 -maxdepth 3 -name composer.json`,
    addresses: ({ texts }, files) => files.map((name) => composerAddresses(texts.get(name) ?? '')).join('\n'),
  },
];

/** The languages that have a row here. */
export const otherEcosystems: readonly Ecosystem[] = [...new Set(kinds.map(({ ecosystem }) => ecosystem))];

/** How to install what the package managers of other languages than Python and JavaScript fetch. */
export function findOtherPart(ecosystem: Ecosystem, top: ProjectTop): FolderPart | null {
  const kind = kinds.find((one) => one.ecosystem === ecosystem);
  const [first = ''] = kind?.files ?? [];
  if (kind === undefined || !top.texts.has(first)) return null;
  const commands = kind.commands(top);
  if (commands === null) return null;
  const files = kind.files.filter((name) => top.texts.has(name));
  const hosts = hostsIn(kind.addresses(top, files));
  return { ecosystem, tool: kind.tool, files, commands, isNeeded: true, hosts };
}

/** The variables of a session for packages of this kind. Empty for Python and JavaScript. */
export function cacheEnvironment(ecosystem: Ecosystem, place: string): Readonly<Record<string, string>> {
  return kinds.find((one) => one.ecosystem === ecosystem)?.environment(place) ?? {};
}

/** A command that prints one line for each package in a volume. Null for Python and JavaScript. */
export function packageListing(ecosystem: Ecosystem, place: string): string | null {
  return kinds.find((one) => one.ecosystem === ecosystem)?.listing(place) ?? null;
}

function cargoAddresses(text: string): string {
  return [...withoutComments(text).matchAll(/"(?:git|registry|sparse)\+(https:\/\/[^"]{1,300})"/g)]
    .map((one) => one[1])
    .join('\n');
}

function repositoriesOf(pom: string): string {
  const parts = pom.split(/<(?:repository|pluginRepository)>/).slice(1);
  return parts.map((part) => part.slice(0, part.indexOf('</url>') + 6).slice(0, 2_000)).join('\n');
}

const withUrl = z.looseObject({ url: z.string() });
const composerSchema = z.looseObject({
  repositories: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
  packages: z.array(z.looseObject({ dist: withUrl.nullish() })).optional(),
  'packages-dev': z.array(z.looseObject({ dist: withUrl.nullish() })).optional(),
});

/** Those of repositories and of the archives in a lock file, without those of homepages and donations. */
function composerAddresses(text: string): string {
  const parsed = composerSchema.safeParse(jsonOf(text));
  if (!parsed.success) return '';
  const { repositories = [], packages = [] } = parsed.data;
  const archives = [...packages, ...(parsed.data['packages-dev'] ?? [])].map(({ dist }) => dist);
  return [...Object.values(repositories), ...archives]
    .flatMap((one) => {
      const named = withUrl.safeParse(one);
      return named.success ? [named.data.url] : [];
    })
    .join('\n');
}

/** Null for a text that is no JSON, which Composer then refuses itself. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
