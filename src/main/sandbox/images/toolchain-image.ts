import { readdir } from 'node:fs/promises';
import { openChildFolder, openHostFolder } from '../../lib/files/host-folder.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { askDrive } from '../../lib/files/served-drives.ts';

interface Toolchain {
  readonly name: string;
  /** The files at the top of a project, or in a folder there, that want it. */
  readonly files: RegExp;
  /** Packages of Debian. */
  readonly packages: readonly string[];
  /** Whether the packages are in Debian's backports, because the release has only a version that is too old. */
  readonly isBackport: boolean;
  /** Lines of a Dockerfile after the installation. */
  readonly after: readonly string[];
  /** What it adds to our image, measured on amd64. */
  readonly sizeBytes: number;
}

/** Where compilers keep what they made: in the session's own space on the disk, not in memory and not in the project. */
const cache = '/scratch/.cache';

const toolchains: readonly Toolchain[] = [
  {
    name: 'Go',
    files: /^go\.(?:mod|work)$/,
    packages: ['golang-1.23-go'],
    isBackport: true,
    after: [
      'RUN ln -s /usr/lib/go-1.23/bin/go /usr/lib/go-1.23/bin/gofmt /usr/local/bin/',
      `ENV GOCACHE=${cache}/go-build`,
    ],
    sizeBytes: 370e6,
  },
  {
    name: 'Rust',
    files: /^Cargo\.toml$/,
    packages: ['rustc-web', 'cargo-web'],
    isBackport: false,
    after: [`ENV CARGO_TARGET_DIR=${cache}/target`],
    sizeBytes: 690e6,
  },
  {
    name: 'Java',
    files: /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?)$/,
    packages: ['default-jdk-headless', 'maven', 'gradle'],
    isBackport: false,
    after: [],
    sizeBytes: 700e6,
  },
  {
    name: 'CMake',
    files: /^CMakeLists\.txt$/,
    packages: ['cmake', 'pkg-config'],
    isBackport: false,
    after: [],
    sizeBytes: 180e6,
  },
  {
    name: 'Ruby',
    files: /^(?:Gemfile|Rakefile|\.rspec|.*\.gemspec)$/,
    packages: ['ruby', 'ruby-dev', 'bundler', 'rake', 'ruby-rspec', 'ruby-minitest'],
    isBackport: false,
    after: [],
    sizeBytes: 130e6,
  },
  {
    name: 'PHP',
    files: /^(?:composer\.json|phpunit(?:\.dist)?\.xml(?:\.dist)?)$/,
    packages: ['php-cli', 'php-mbstring', 'php-xml', 'php-curl', 'composer', 'phpunit'],
    isBackport: false,
    after: [],
    sizeBytes: 175e6,
  },
];

export interface ToolchainImage {
  /** A Dockerfile that adds the toolchains to our own image. */
  readonly text: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

const maxFolders = 50;

/**
 * The image for a project in languages that our own image lacks. Reads only names of files, and follows no link. Null:
 * the project needs no more than our image has, or cannot be read. `ourImage`: its name, which changes with its
 * content.
 */
export async function findToolchainImage(projectPath: string, ourImage: string): Promise<ToolchainImage | null> {
  const names = await askDrive(projectPath, () => namesIn(projectPath));
  const wanted = toolchains.filter(({ files }) => names.some((name) => files.test(name)));
  if (wanted.length === 0) return null;
  const sizeBytes = wanted.reduce((sum, one) => sum + one.sizeBytes, 0);
  const said = wanted.map(({ name }) => name).join(', ');
  const list = wanted.flatMap(({ packages }) => packages).join(' ');
  const lines = [
    `# Dewpoint's own image with ${said}, from the packages of Debian: about ${sizeText(sizeBytes)} more.`,
    `FROM ${ourImage}`,
    ...(wanted.some(({ isBackport }) => isBackport) ? [backports] : []),
    // Some packages link manual pages, and a slim image has no folder for them.
    'RUN mkdir -p /usr/share/man/man1 \\',
    ' && apt-get update \\',
    ` && apt-get install -y --no-install-recommends ${list} \\`,
    ' && rm -rf /var/lib/apt/lists/*',
    ...wanted.flatMap(({ after }) => after),
  ];
  return { text: `${lines.join('\n')}\n`, names: wanted.map(({ name }) => name), sizeBytes };
}

/** Adds Debian's backports on the mirror that the image uses already. */
const backports = [
  'RUN mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2> /dev/null \\',
  "   | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1) \\",
  ' && . /etc/os-release \\',
  ' && echo "deb $mirror $VERSION_CODENAME-backports main" > /etc/apt/sources.list.d/backports.list',
].join('\n');

/** The names of files at the top and in its folders. */
async function namesIn(projectPath: string): Promise<readonly string[]> {
  // A project that cannot be opened asks for nothing.
  const root = await openHostFolder(projectPath).catch(() => null);
  if (root === null) return [];
  try {
    const entries = await readdir(root.place, { withFileTypes: true }).catch(() => []);
    const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
    const folders = entries.filter((entry) => entry.isDirectory() && /^[A-Za-z]/.test(entry.name)).slice(0, maxFolders);
    for (const { name } of folders) {
      // A folder that cannot be opened asks for nothing.
      const folder = await openChildFolder(root, name).catch(() => null);
      if (folder === null) continue;
      names.push(...(await readdir(folder.place).catch(() => [])));
      await folder.close();
    }
    return names;
  } finally {
    await root.close();
  }
}
