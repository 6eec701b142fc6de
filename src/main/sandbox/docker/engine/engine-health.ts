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

/**
 * What lets a container out, or more of it than its profile says. What only concerns networks, images or Kubernetes
 * (most holes of containerd: it is the part for Kubernetes that has them) is not here. Above each: who says the versions.
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
