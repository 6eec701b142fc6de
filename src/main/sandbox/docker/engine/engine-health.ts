/** The parts of an engine whose known security holes matter to a sandbox. Null if the engine does not report them. */
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
  /** The versions that fixed it, oldest release line first. A version older than all of them has the hole, too. */
  readonly closedIn: readonly string[];
  readonly text: string;
}

/**
 * Holes that let a container out, or let it do more than its profile allows. Holes that only affect networks, images
 * or Kubernetes are not listed (most of containerd's are in its part for Kubernetes). The source of the versions is
 * above each entry.
 */
const knownHoles: readonly KnownHole[] = [
  // github.com/moby/moby/pull/52501 (in 29.4.2: docs.docker.com/engine/release-notes/29)
  {
    of: 'docker',
    closedIn: ['29.4.2'],
    text: "CVE-2026-31431: with the engine's own profile, a container can change files of the machine in memory. Dewpoint's profile prevents this, but image builds use the engine's",
  },
  // github.com/CVEProject/cvelistV5 CVE-2025-9074; docs.docker.com/security/security-announcements
  {
    of: 'desktop',
    closedIn: ['4.44.3'],
    text: 'CVE-2025-9074: a container with a network can control the engine',
  },
  // tenable.com/plugins/nessus/316463; docs.docker.com/desktop/release-notes
  {
    of: 'desktop',
    closedIn: ['4.71.0'],
    text: 'CVE-2026-5843: a container with a network can run programs on the machine through the model runner (macOS)',
  },
  // github.com/containerd/containerd/security/advisories/GHSA-pwhc-rpq9-4c8w
  {
    of: 'containerd',
    closedIn: ['1.7.29', '2.0.7', '2.1.5', '2.2.0'],
    text: 'CVE-2024-25621: other users of this machine can open its folders',
  },
  // github.com/opencontainers/runc/security/advisories/GHSA-xr7r-f8xq-vfvv
  {
    of: 'runc',
    closedIn: ['1.1.12'],
    text: 'CVE-2024-21626: a way out of a container through an open folder',
  },
  // github.com/opencontainers/runc/security/advisories/GHSA-9493-h29p-rfm2 (changelog of 1.2.8)
  {
    of: 'runc',
    closedIn: ['1.2.8', '1.3.3'],
    text: 'CVE-2025-31133, -52565 and -52881: ways out of a container through parts of /proc',
  },
];

const partNames = {
  docker: 'Docker Engine',
  desktop: 'Docker Desktop',
  containerd: 'containerd',
  runc: 'runc',
} as const;

/**
 * The known problems of these versions, one sentence each. Empty: none. It judges by version number only. A
 * distribution may have added a fix to an older version, which cannot be seen from here.
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

/**
 * If a release line (`1.3.x`) has a version with the fix, its versions are compared with that one. Other lines have
 * the fix if they are newer than all versions in the list.
 */
function hasHole(version: string, closedIn: readonly string[]): boolean {
  const lineOf = (text: string): string => (numbersOf(text) ?? []).slice(0, 2).join('.');
  const own = closedIn.find((one) => lineOf(one) === lineOf(version));
  return isOlder(version, own ?? closedIn.at(-1) ?? '');
}

/** Also returns false for text that is not a version, because it cannot be judged. */
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
