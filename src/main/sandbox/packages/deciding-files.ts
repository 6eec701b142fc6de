import type { Ecosystem, FolderPart, ProjectTexts } from './dependency-part.ts';

interface Deciding {
  /** Files beside the part's own that change what is installed, by their path in the folder. */
  readonly beside?: RegExp;
  /** Files of the folders below that do so, by their name. */
  readonly below: RegExp;
  /** What a file of the part says if it takes folders below in. Absent: it may always. */
  readonly takesIn?: RegExp;
}

const deciding: Readonly<Record<Ecosystem, Deciding>> = {
  python: {
    beside: /^uv\.toml$/,
    below:
      /^(?:pyproject\.toml|setup\.(?:py|cfg)|[\w.-]{0,100}requirements[\w.-]{0,100}\.(?:txt|in)|constraints[\w.-]*\.txt)$/,
    takesIn:
      /\[tool\.uv\.workspace\]|\bpath {0,9}=|\bfile:|^[ \t]{0,20}(?:-[ercf]\b|--(?:editable|requirement|constraint)\b)|^[ \t]{0,20}\.{0,2}\/\w/m,
  },
  javascript: {
    beside: /^\.(?:npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs)$/,
    below: /^package\.json$/,
    takesIn: /"workspaces" ?:|"(?:file|link|portal):|^packages:/m,
  },
  go: { beside: /^go\.work\.sum$/, below: /^go\.(?:mod|sum)$/, takesIn: /^[ \t]{0,20}use\b|=> ?\.{1,2}\//m },
  rust: {
    beside: /^(?:\.cargo\/config(?:\.toml)?|rust-toolchain(?:\.toml)?)$/,
    below: /^Cargo\.toml$/,
    takesIn: /^[ \t]{0,20}\[workspace\b|\bpath {0,9}=/m,
  },
  java: {
    beside: /^\.mvn\/(?:extensions\.xml|maven\.config|settings\.xml)$/,
    below: /^pom\.xml$/,
    takesIn: /<modules?>/,
  },
  ruby: {
    beside: /\.gemspec$|^(?:gems\.rb|\.bundle\/config)$/,
    below: /\.gemspec$|^Gemfile$/,
    takesIn: /\b(?:path|gemspec|eval_gemfile)\b/,
  },
  php: { below: /^composer\.json$/, takesIn: /"path"/ },
};

/** Whether a file is read for what it decides, beside those that name a package manager. By its path in a folder. */
export function isDecidingFile(path: string): boolean {
  return Object.values(deciding).some(({ beside, below }) => beside?.test(path) === true || below.test(path));
}

interface Texts {
  readonly texts: ProjectTexts;
}

/**
 * The part with every file that decides what it installs, so that a change of any of them makes it outdated. A folder
 * below that is a part of its own decides for itself.
 */
export function withDecidingFiles(
  part: FolderPart,
  { texts }: Texts,
  below: readonly { readonly folder: string; readonly top: Texts }[],
): FolderPart {
  const { beside, below: inside, takesIn } = deciding[part.ecosystem];
  const own = [...texts.keys()].filter((path) => beside?.test(path) === true && !part.files.includes(path));
  const files = [...part.files, ...own];
  const takes = takesIn === undefined || files.some((path) => takesIn.test(texts.get(path) ?? ''));
  const others = takes ? below.flatMap(({ folder, top }) => pathsIn(folder, top.texts, inside)) : [];
  return { ...part, files: [...files, ...others] };
}

function pathsIn(folder: string, texts: ProjectTexts, names: RegExp): readonly string[] {
  return [...texts.keys()].flatMap((name) => (names.test(name) ? [`${folder}/${name}`] : []));
}
