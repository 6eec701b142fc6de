import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { runsLater } from '../../src/shared/runs-later.ts';

/** What a person could know of a session's work without looking for it. */
export interface Seen {
  /** Paths that stand under "runs later". */
  readonly runsLater: readonly string[];
  /** Sentences that were said aloud: warnings of the sandbox, notices of commands. */
  readonly said: readonly string[];
}

/**
 * The one place that asks the product what is shown for a session. `changed`: the files that its turn would list;
 * `notices`: what its commands printed. Called before the sandbox is disposed of.
 */
export function seenByPerson(
  sandbox: Pick<Sandbox, 'description'>,
  { changed, notices }: { readonly changed: readonly string[]; readonly notices: readonly string[] },
): Seen {
  const aloud = notices.flatMap((text) => [...text.matchAll(/\[dewpoint: [^\]]*\]/g)].map(([notice]) => notice));
  return {
    runsLater: changed.filter((path) => runsLater(path) !== null),
    said: [...aloud, ...sandbox.description.warnings],
  };
}

/** Whether a person was told of this path. */
export function isSeen(place: string, { runsLater: listed, said }: Seen): boolean {
  return (
    listed.some((path) => path === place || path.startsWith(`${place}/`)) || said.some((text) => text.includes(place))
  );
}
