/** The parts of an engine whose known holes matter to a sandbox; null where the engine does not say. */
export interface EngineParts {
  readonly kind: 'docker' | 'podman';
  readonly engine: string;
  readonly containerd: string | null;
  readonly runc: string | null;
  /** Docker Desktop's own version. */
  readonly desktop: string | null;
}

interface KnownHole {
  readonly of: 'docker' | 'desktop' | 'containerd' | 'runc';
  /** The versions that it was closed in, the oldest line first; what is older than all of them has it, too. */
  readonly closedIn: readonly string[];
  readonly text: string;
}

/** What lets a container out, or more of it than its profile says. What only concerns networks or images is not here. */
const knownHoles: readonly KnownHole[] = [
  {
    of: 'docker',
    closedIn: ['29.4.3'],
    text: "its own profile allows kernel sockets that Dewpoint's does not",
  },
  {
    of: 'desktop',
    closedIn: ['4.71.0'],
    text: 'there were ways from a container to the engine (CVE-2025-9074 is one)',
  },
  {
    of: 'containerd',
    closedIn: ['1.7.29', '2.0.7', '2.1.5', '2.2.0'],
    text: 'CVE-2024-25621: other users of this machine can get at its folders',
  },
  { of: 'runc', closedIn: ['1.1.12'], text: 'CVE-2024-21626: a way out of a container by an open folder' },
  {
    of: 'runc',
    closedIn: ['1.2.8', '1.3.3'],
    text: 'CVE-2025-31133, -52565 and -52881: ways out of a container by what hides parts of /proc',
  },
];

const partNames = {
  docker: 'Docker Engine',
  desktop: 'Docker Desktop',
  containerd: 'containerd',
  runc: 'runc',
} as const;

/**
 * What is known to be wrong with these versions, one sentence each; empty when nothing is. Only by number: a
 * distribution may have brought a fix into an older one, which nobody can see from here.
 */
export function engineProblems({ kind, engine, containerd, runc, desktop }: EngineParts): readonly string[] {
  const versions = { docker: kind === 'docker' ? engine : null, desktop, containerd, runc };
  return knownHoles.flatMap(({ of, closedIn, text }) => {
    const version = versions[of];
    if (version === null || !hasHole(version, closedIn)) return [];
    const fixed = [closedIn.slice(0, -1).join(', '), ...closedIn.slice(-1)].filter((part) => part !== '').join(' or ');
    return [`${partNames[of]} ${version} is older than ${fixed}: ${text}.`];
  });
}

/** A line (`1.3.x`) that has a version with the fix is judged by that; the others by whether they came after all of them. */
function hasHole(version: string, closedIn: readonly string[]): boolean {
  const lineOf = (text: string): string => (numbersOf(text) ?? []).slice(0, 2).join('.');
  const own = closedIn.find((one) => lineOf(one) === lineOf(version));
  return isOlder(version, own ?? closedIn.at(-1) ?? '');
}

/** False also for a version that is none: what cannot be read is not judged. */
export function isOlder(version: string, than: string): boolean {
  const left = numbersOf(version);
  const right = numbersOf(than);
  if (left === null || right === null) return false;
  for (const [at, wanted] of right.entries()) {
    const found = left[at] ?? 0;
    if (found !== wanted) return found < wanted;
  }
  return false;
}

function numbersOf(version: string): readonly number[] | null {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version.trim());
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}
