import { describe, expect, it } from 'vitest';
import { cutByStructure } from '../../../../src/main/tools/results/cut-result.ts';
import { lookIntoResult } from '../../../../src/main/tools/results/look-into-result.ts';
import { cellsOf } from '../../../../src/main/tools/results/result-shape.ts';
import { isRecord } from '../../../../src/shared/unknown-value.ts';
import { csvExport, graphIssues, hostedIssues, markdownRows } from '../../../fakes/tracker-results.ts';

const most = 32 * 1024;
const sayMore = (more: unknown): string => `The rest: ${JSON.stringify(more)}`;

interface Cut {
  readonly note: string;
  readonly body: string;
}

function cut(text: string, mostBytes = most): Cut {
  const result = cutByStructure(text, mostBytes, sayMore) ?? '';
  expect(Buffer.byteLength(result)).toBeLessThanOrEqual(mostBytes);
  const end = result.indexOf('\n');
  return { note: result.slice(0, end), body: result.slice(end + 1) };
}

function rowsIn(text: string, ...path: readonly string[]): readonly Record<string, unknown>[] {
  let at: unknown = JSON.parse(text);
  for (const step of path) at = isRecord(at) ? at[step] : null;
  return Array.isArray(at) ? at.filter(isRecord) : [];
}

const look = (text: string, wish: Parameters<typeof lookIntoResult>[1]): string => {
  const found = lookIntoResult(text, wish);
  return found.ok ? found.value : `failed: ${found.error.message}`;
};

describe('a long result in JSON', () => {
  // Bug: the middle of a list was cut out, so that the rest was invalid JSON with 8 of 100 issues.
  it('stays valid JSON with the main fields of every row, and says what is left out', () => {
    const issues = hostedIssues(60);
    const { note, body } = cut(JSON.stringify(issues));
    const rows = rowsIn(body);
    expect(rows).toHaveLength(60);
    for (const [at, row] of rows.entries()) {
      const { number, title, state, html_url } = issues[at] ?? {};
      expect(row).toMatchObject({ number, title, state, html_url, user: { login: expect.any(String) } });
    }
    expect(note).toMatch(
      /^\[Shortened\. Texts end after \d+ characters\..*Left out: url, .*The rest: .*"path":"\[0\]\.body"/u,
    );
    expect(note.length).toBeLessThan(900);
  });

  it('shows whole rows, and how to ask for the next', () => {
    const issues = hostedIssues(900);
    const { note, body } = cut(JSON.stringify({ total_count: 900, items: issues }));
    const rows = rowsIn(body, 'items');
    expect(rows.length).toBeGreaterThan(24);
    expect(JSON.parse(body)).toMatchObject({ total_count: 900 });
    expect(note).toContain(`Rows 1-${rows.length} of 900 of items`);
    expect(note).toContain(`"rows":"${rows.length + 1}-`);
    const next = look(JSON.stringify({ items: issues }), { rows: `${rows.length + 1}-${rows.length + 2}` });
    expect(rowsIn(next.slice(next.indexOf('\n')))).toEqual(issues.slice(rows.length, rows.length + 2));
  });

  it('keeps ids of 19 digits as they are', () => {
    const text = graphIssues(200);
    const { body } = cut(text);
    const ids = [...body.matchAll(/"id":(9\d{18})/gu)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(24);
    expect(ids.every((id) => id !== undefined && text.includes(`"id":${id},`))).toBe(true);
    expect(JSON.parse(body)).toMatchObject({ data: { team: { issues: { pageInfo: { endCursor: 'c1' } } } } });
  });

  it('is also found after a text and line by line', () => {
    const issues = hostedIssues(300);
    const words = cut(`Found 300 issues:\n\n${JSON.stringify(issues, null, 2)}\n\nThat is all.`);
    expect(words.body).toMatch(/^Found 300 issues:\n\n\[\n\{"/u);
    expect(words.body).toMatch(/\]\n\nThat is all\.$/u);
    const lines = cut(issues.map((issue) => JSON.stringify(issue)).join('\n'));
    expect(rowsIn(lines.body).length).toBeGreaterThan(24);
  });

  it('is cut to fit a small window', () => {
    const { body } = cut(JSON.stringify(hostedIssues(100)), 4_096);
    expect(rowsIn(body).length).toBeGreaterThan(7);
  });

  it('may be one long object, or one long text in it', () => {
    const packages = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`package-${at}`, `1.0.${at}`]));
    const { note, body } = cut(JSON.stringify({ packages }));
    expect(Object.keys(JSON.parse(body).packages).length).toBeGreaterThan(20);
    expect(note).toContain('Left out: packages.package-');
    const text = cut(JSON.stringify({ name: 'log', text: 'x'.repeat(200_000) }));
    expect(JSON.parse(text.body).text).toMatch(/^x+… \[\d+ more characters\]$/u);
    expect(text.note).toContain('"path":"text"');
  });

  it.each([
    ['too deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['no JSON in the end', `{"a": [${'1,'.repeat(60_000)}`],
    ['one row of numbers without end', JSON.stringify([Array.from({ length: 60_000 }, () => [[1]])])],
  ])('is left uncut if it is %s, without an error', (_, text) => {
    const result = cutByStructure(text, most, sayMore);
    expect(result === null || Buffer.byteLength(result) <= most).toBe(true);
  });

  it('treats the names of fields only as names', () => {
    const text = `[${Array.from({ length: 900 }, (_, at) => `{"__proto__": {"x": ${at}}, "constructor": "${'y'.repeat(60)}"}`).join(',')}]`;
    const { body } = cut(text);
    expect(body).toContain('"__proto__"');
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('a long table', () => {
  it('of CSV keeps its header and whole records', () => {
    const { note, body } = cut(csvExport(2_000));
    expect(note).toMatch(/Rows 1-\d+ of 2000/u);
    expect(body.startsWith('id,title,opened,notes,hours\n1,"parser says ""window""",2026-01-01,"')).toBe(true);
    expect(cellsOf(body.slice(body.lastIndexOf('\n', body.lastIndexOf('2026-') - 1) + 1), ',')).toHaveLength(5);
  });

  it('of Markdown keeps its header, whole rows and the text around it', () => {
    const { note, body } = cut(markdownRows(1_000));
    expect(note).toMatch(/Rows 1-\d+ of 1000/u);
    const lines = body.split('\n');
    expect(lines.slice(0, 4)).toEqual(['# Releases', '', '| no | part | notes | mark |', '|---|:--|---|--:|']);
    const rows = lines.filter((line) => /^\| \d/u.test(line));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.every((row) => cellsOf(row, '|').length === 4)).toBe(true);
    expect(body.endsWith('That is all.')).toBe(true);
  });

  it('is not mistaken for prose or code', () => {
    const prose = Array.from(
      { length: 900 },
      (_, at) => `On day ${at}, which was long, it rained, and then it did not.`,
    );
    expect(cutByStructure(prose.join('\n'), most, sayMore)).toBeNull();
    const code = Array.from({ length: 900 }, (_, at) => `call(${at}, 'a', "b");`);
    expect(cutByStructure(code.join('\n'), most, sayMore)).toBeNull();
  });
});

describe('a look into a long result', () => {
  const issues = JSON.stringify({ items: hostedIssues(100), total_count: 100 });

  it('returns one field by its path, or the same field of all rows', () => {
    expect(look(issues, { path: 'items[6].body' })).toBe(hostedIssues(7)[6]?.body);
    expect(look(issues, { path: '$.items[6].user.login' })).toBe('person-0');
    expect(JSON.parse(look(issues, { path: 'items[*].number' }))).toHaveLength(100);
    expect(JSON.parse(look(issues, { path: 'items.2.labels' }))).toHaveLength(2);
    expect(look(graphIssues(30), { path: 'data.team.issues.nodes[3].id' })).toBe('9007199254740910003');
  });

  it('finds the rows that have certain words', () => {
    const found = look(issues, { search: 'QUEUE closed' });
    expect(found).toMatch(/^\[\d+ of 100 rows of items have it: /u);
    expect(rowsIn(found.slice(found.indexOf('\n'))).length).toBeGreaterThan(0);
    expect(look(csvExport(50), { search: 'webhook says ""cache', rows: '5-12' })).toContain(
      'id,title,opened,notes,hours\n12,',
    );
    expect(look('one\ntwo\nthree', { search: 'tw' })).toContain('have it: 2]\ntwo');
  });

  it.each([
    [{ path: 'items[200]' }, 'items is a list of 100: use [0] to [99], or [*]'],
    [{ path: 'items[0].titel' }, 'items[0] has no titel; it has url, repository_url'],
    [{ path: 'total_count.x' }, 'total_count is a single value'],
    [{ rows: '101-120' }, 'There is no row 101: items has 100.'],
    [{ rows: 'all' }, '"rows" is a number or a range'],
    [{ path: '["' }, 'Nothing is at'],
  ])('explains what is wrong with %j', (wish, text) => {
    expect(look(issues, wish)).toContain(text);
  });

  it('reads a plain text by its lines, long ones in pieces', () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`).join('\n');
    expect(look(text, { rows: '3-4' })).toBe('[Rows 3-4 of 50 of the text]\nline 3\nline 4');
    expect(look('z'.repeat(9_000), { rows: '5' })).toMatch(/\nz{1000}$/u);
    expect(look(text, { path: 'a' })).toContain('no JSON');
  });
});
