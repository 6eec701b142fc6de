/** What can be relied on of a server of a version. */
export interface ServerVersion {
  readonly text: string;
  /** It can be told to refuse what does not fit instead of dropping the beginning. */
  readonly refusesLongPrompts: boolean;
  /** `/api/ps` says how much context was really made. */
  readonly reportsContext: boolean;
  readonly givesLogprobs: boolean;
  /** A sentence for a person; null: all that is used is there. */
  readonly complaint: string | null;
}

/** Versions in which each came: `[minor, patch]` of 0.x. */
const since = { tools: [8, 0], context: [11, 0], refusal: [12, 6], logprobs: [12, 11] } as const;

/** A version that cannot be read (a build of one's own says `0.0.0`) is taken for a new one: the checks find out. */
export function judgeVersion(text: string): ServerVersion {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim());
  const [major, minor, patch] = numbers === null ? [0, 0, 0] : numbers.slice(1, 4).map(Number);
  const isUnknown = numbers === null || (major === 0 && minor === 0 && patch === 0);
  const has = ([wantedMinor, wantedPatch]: readonly [number, number]): boolean =>
    isUnknown ||
    (major ?? 0) > 0 ||
    (minor ?? 0) > wantedMinor ||
    ((minor ?? 0) === wantedMinor && (patch ?? 0) >= wantedPatch);
  const refusesLongPrompts = has(since.refusal);
  return {
    text,
    refusesLongPrompts,
    reportsContext: has(since.context),
    givesLogprobs: has(since.logprobs),
    complaint: !has(since.tools)
      ? `Ollama ${text} is too old to stream calls of tools: bring it up to date`
      : refusesLongPrompts
        ? null
        : `Ollama ${text} drops the beginning of a prompt that is too long without a word; Dewpoint counts and refuses such answers, a newer Ollama refuses them itself`,
  };
}
