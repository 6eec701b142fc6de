/** A reader sees less of a table on many screens. Each of its rows gets all of its columns, also one of a single letter. */
const mostCells = 20_000;
/** Each underlined heading is looked for among all that came before. */
const mostUnderlines = 300;

/** What may stand in the line below the head of a table, with the marks of a quote or a list before it. */
const underHead = /^[\s>*+\d.)|:-]+$/u;
const underHeading = /^[\s>*+\d.)]*(?:=+|-+)\s*$/u;

/**
 * Whether a parser of Markdown would make far more of a text than it is: 18 KB of a wide table are 9 million cells, and
 * 20 KB of underlined headings take seconds. Show such a text as it was written.
 */
export function isCostlyMarkdown(text: string): boolean {
  let columns = 0;
  let cells = 0;
  let underlines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') columns = 0;
    else if (underHead.test(line) && /-\s*\||\|\s*:?-/u.test(line)) columns = Math.max(columns, line.split('|').length);
    else if (underHeading.test(line)) underlines += 1;
    cells += columns;
    if (cells > mostCells || underlines > mostUnderlines) return true;
  }
  return false;
}
