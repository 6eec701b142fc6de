import { withoutMentions } from '@shared/attachments/file-mentions.ts';

/** A word of somebody at a host. `place` null: it is on the whole. */
interface ForeignComment {
  readonly author: string;
  readonly place: string | null;
  readonly text: string;
}

/** What turns the direction of writing: a title goes into a commit and a request under the name of the person. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const longestText = 12_000;
const longestComment = 4_000;
/** A task has 64 KiB at most. */
const mostBytes = 56_000;

/**
 * The words of others, quoted so that an agent does not take them for the user's: line by line behind a ">", and
 * without mentions, which would attach files. Only the latest comments that fit are in it.
 */
export function quoteComments(before: readonly string[], comments: readonly ForeignComment[]): string {
  const kept: string[] = [];
  let bytes = Buffer.byteLength(before.join('\n\n'));
  for (const { author, place, text } of comments.toReversed()) {
    const quote = quoteComment({ author, place, text });
    bytes += Buffer.byteLength(quote) + 2;
    if (bytes > mostBytes) break;
    kept.unshift(quote);
  }
  const left = comments.length - kept.length;
  const note = left === 0 ? [] : [`${left} earlier comments are left out.`];
  return [...before, ...note, ...kept].join('\n\n');
}

/** Without an empty line, so that it is one paragraph of a message. */
export function quoteComment({ author, place, text }: ForeignComment): string {
  const where = place === null ? '' : ` on ${oneForeignLine(place)}`;
  return `${oneForeignLine(author)}${where}:\n${quoteText(text, longestComment)}`;
}

export function quoteText(text: string, most = longestText): string {
  const isCut = text.length > most;
  const lines = withoutMentions(text.slice(0, most))
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
    .map((line) => `> ${line}`);
  return [...lines, ...(isCut ? ['> […]'] : [])].join('\n');
}

export function oneForeignLine(text: string): string {
  return withoutMentions(
    text
      .slice(0, 300)
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replaceAll(turning, ''),
  ).trim();
}
