/** The parts of an engine whose known holes matter to a sandbox; null where the engine does not say. */
export interface EngineParts {
  readonly kind: 'docker' | 'podman';
  readonly engine: string;
  readonly runc: string | null;
  /** Docker Desktop's own version. */
  readonly desktop: string | null;
}

/**
 * What is known to be wrong with these versions, one sentence each; empty when nothing is. Only by number: a
 * distribution may have brought a fix into an older one, which nobody can see from here.
 */
export function engineProblems({ kind, engine, runc, desktop }: EngineParts): readonly string[] {
  const problems: string[] = [];
  if (kind === 'docker' && isOlder(engine, '29.4.3'))
    problems.push(
      `Docker Engine ${engine} is older than 29.4.3 (its own profile allows kernel sockets that Dewpoint's does not).`,
    );
  if (desktop !== null && isOlder(desktop, '4.71.0'))
    problems.push(
      `Docker Desktop ${desktop} is older than 4.71, in which ways from a container to the engine were closed.`,
    );
  if (runc !== null && hasMaskedPathRaces(runc))
    problems.push(
      `runc ${runc} is older than 1.2.8 or 1.3.3 (CVE-2025-31133, -52565 and -52881: ways out of a container).`,
    );
  return problems;
}

function hasMaskedPathRaces(runc: string): boolean {
  return isOlder(runc, '1.2.8') || (!isOlder(runc, '1.3.0') && isOlder(runc, '1.3.3'));
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
