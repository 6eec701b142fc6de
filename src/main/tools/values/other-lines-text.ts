import type { OtherLines } from '../../language-servers/code-questions.ts';

const mostFiles = 15;
const mostLines = 20;

/** What a language server answered. */
interface Answered {
  readonly server: string;
  readonly otherLines: OtherLines;
}

/**
 * Says where a name stands besides the places that a language server tied to it. Empty: nowhere. A model that reads
 * nothing here takes the places for all of them.
 */
export function otherLinesText({ server, otherLines }: Answered): string {
  const { files, hasMore } = otherLines;
  const count = files.reduce((sum, { lines }) => sum + lines.length, 0);
  if (count === 0) return hasMore ? 'The name may stand in other lines as well; search finds them.' : '';
  const named = files.slice(0, mostFiles).map(({ path, lines }) => {
    const left = lines.length > mostLines ? ' …' : '';
    return `${path}: ${lines.slice(0, mostLines).join(', ')}${left}`;
  });
  const rest = files.length - named.length;
  const more = rest > 0 ? [`… and in ${rest} more ${rest === 1 ? 'file' : 'files'}`] : [];
  const heading = `${hasMore ? 'At least ' : ''}${count} other ${count === 1 ? 'line has' : 'lines have'} this name, and ${server} does not tie it to this one. It may be a use all the same, or something else:`;
  return [heading, ...named, ...more].join('\n');
}
