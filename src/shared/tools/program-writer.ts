import { seenName } from '@shared/text/seen-text.ts';

/** What wrote a program. Null stands for unknown, also for the whole of it. */
export interface ProgramWriter {
  /** `PROVIDER/NAME` */
  readonly model: string | null;
  /** The digest of the model's files; null for a model in the cloud, too. */
  readonly digest: string | null;
  /** The version of Dewpoint. */
  readonly app: string;
}

export function writerText(writer: ProgramWriter | null): string {
  if (writer === null) return 'unknown';
  const { model, digest, app } = writer;
  const named = model === null ? 'an unknown model' : seenName(model);
  const file = digest === null ? '' : ` (digest ${seenName(shortDigest(digest))})`;
  return `${named}${file}, Dewpoint ${seenName(app)}`;
}

function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/u, '').slice(0, 12);
}

/** Whether a model with another name or digest, or another version of Dewpoint, wrote a program. Unknown counts as other. */
export function isOtherWriter(writer: ProgramWriter | null, now: ProgramWriter): boolean {
  if (writer === null || writer.app !== now.app || writer.model === null) return true;
  const isSameFile = writer.digest !== null && writer.digest === now.digest;
  return !isSameFile && (writer.model !== now.model || writer.digest !== now.digest);
}

/** One line that says what wrote a kept program, and whether that is still what runs today. */
export function writerLine(writer: ProgramWriter | null, now: ProgramWriter): string {
  if (writer === null) return 'Which model and version of Dewpoint wrote it is unknown.';
  const by = `Written by ${writerText(writer)}.`;
  return isOtherWriter(writer, now) ? `${by} Today: ${writerText(now)}. It was not reviewed again since.` : by;
}
