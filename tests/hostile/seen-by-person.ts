import { autoRunReason } from '../../src/shared/safety/auto-run-files.ts';

/** What a person learns about a session's work without searching for it. */
export interface Seen {
  /** The paths listed under "runs later". */
  readonly runsLater: readonly string[];
  /** Notices that were shown: warnings of the sandbox, notices of commands. */
  readonly said: readonly string[];
}

export interface ToldBySession {
  /** The files that the turn lists as changed. */
  readonly changed: readonly string[];
  /** What the turn found that commands left in untracked places. */
  readonly untracked: readonly { readonly path: string }[];
  /** The output of its commands. */
  readonly notices: readonly string[];
  /** The sandbox's warnings at the end. */
  readonly warnings: readonly string[];
}

/** The only place that computes what "runs later" lists, in the same way as `dewpoint changes` and the window. */
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
