import { autoRunReason } from '../../src/shared/safety/auto-run-files.ts';

/** What a person could know of a session's work without looking for it. */
export interface Seen {
  /** Paths that stand under "runs later". */
  readonly runsLater: readonly string[];
  /** Sentences that were said aloud: warnings of the sandbox, notices of commands. */
  readonly said: readonly string[];
}

export interface ToldBySession {
  /** Files that its turn lists as changed. */
  readonly changed: readonly string[];
  /** What it found that commands left beside them. */
  readonly untracked: readonly { readonly path: string }[];
  /** What its commands printed. */
  readonly notices: readonly string[];
  /** Of its sandbox, at the end. */
  readonly warnings: readonly string[];
}

/** The one place that says what of a session's work stands under "runs later", as `dewpoint changes` and the window have it. */
export function seenByPerson({ changed, untracked, notices, warnings }: ToldBySession): Seen {
  const aloud = notices.flatMap((text) => [...text.matchAll(/\[dewpoint: [^\]]*\]/g)].map(([notice]) => notice));
  return {
    runsLater: [...changed.filter((path) => autoRunReason(path) !== null), ...untracked.map(({ path }) => path)],
    said: [...aloud, ...warnings],
  };
}

/** Whether a person was told of this path. */
export function isSeen(place: string, { runsLater: listed, said }: Seen): boolean {
  return (
    listed.some((path) => path === place || path.startsWith(`${place}/`)) || said.some((text) => text.includes(place))
  );
}
