import { describe, expect, it } from 'vitest';
import { loadFormulas, proseHtml as piecesOf } from '../../../../src/main/sessions/library/readable/prose-html.ts';
import { forgetMark } from '../../../../src/shared/projects/memory-line.ts';
import { readTalk } from '../../../../src/main/sessions/library/readable/read-talk.ts';
import { talkAsMarkdown, talkAsPage } from '../../../../src/main/sessions/library/readable/write-talk.ts';

const newPage = await loadFormulas();
const draw = newPage();
const proseHtml = (...given: Parameters<typeof piecesOf>): string => [...piecesOf(...given)].join('').trimEnd();

describe('an answer in an exported page', () => {
  it('has its headings, tables, lists and code as such, in any script', () => {
    const html = proseHtml(
      '## 比較\n\n| 言語 | $ |\n|---|--:|\n| 日本語 | 6.90 |\n\n- [x] done\n\n```py\na < b\n```',
      'a0',
      draw,
    );
    expect(html).toContain('<h2>比較</h2>');
    expect(html).toContain('<div class="wide"><table>');
    expect(html).toContain('<td align="right">6.90</td>');
    expect(html).toContain('<input type="checkbox" disabled="" checked="" />');
    expect(html).toContain('<pre><code class="language-py">a &lt; b');
  });

  it('loads nothing, runs nothing, and leads only to the web', () => {
    const hostile = [
      '<script>alert(1)</script> <img src=x onerror=alert(1)>',
      '![eye](https://example.com/pixel.png)',
      '[run](javascript:alert(1)) [file](file:///etc/passwd) [data](data:text/html,x)',
      '[page](https://example.com/?a="onclick=)',
      'over\u202Eturned',
    ].join('\n\n');
    const html = proseHtml(hostile, 'a0', draw);
    expect(html).not.toMatch(/<(?:script|img)/u);
    expect(html).not.toMatch(/href="(?!https:\/\/example\.com\/|")/u);
    expect(html).toContain('title="https://example.com/?a=%22onclick=" rel="noreferrer"');
    expect(html).toContain('U+202E');
  });

  // Catches: a formula that a reader gets as its source, or that Markdown broke before it was found.
  it('has its formulas as MathML, within a line and on lines of their own', () => {
    const html = proseHtml('So $a_1 * b_1 < c$ is *true*:\n\n$$\n\\frac{1}{2}\n$$\n\nIt costs $5 or $6.', 'a0', draw);
    expect(html).toMatch(/So <span class="katex"><math [^>]*><semantics><mrow><msub>/u);
    expect(html).toContain('<em>true</em>');
    expect(html).toMatch(/<div class="wide"><span class="katex"><math [^>]*display="block"><semantics>.*<mfrac>/u);
    expect(html).toContain('It costs $5 or $6.');
    expect(html).not.toContain('\uE000');
  });

  it('shows a formula that is wrong, endless or hostile as text', () => {
    const wrong = proseHtml('So $\\frac{<b>$ is.', 'a0', draw);
    expect(wrong).toContain('<code>\\frac{&lt;b&gt;</code>');
    expect(proseHtml('$$\n\\def\\a{\\a}\\a\n$$', 'a0', draw)).toBe('<pre>\\def\\a{\\a}\\a</pre>');
    const long = `$$\n\\def\\a{${'x'.repeat(2000)}}${'\\a'.repeat(290)}\n$$`;
    expect(proseHtml(long, 'a0', draw)).toMatch(/^<pre>\\def/u);
    const active = [
      '$\\href{javascript:alert(1)}{x}$',
      '$\\includegraphics{https://example.com/x.png}$',
      '$\\htmlStyle{background:url(https://example.com)}{x}$',
      '$\\text{<img src=x>}_1$',
    ].join(' ');
    expect(proseHtml(active, 'a0', draw)).not.toMatch(/<(?:a|img|script|mglyph)\b|<[^>]*\s(?:href|src|style|on\w+)=/u);
  });

  // Catches: an answer of formulas that each take a tenth of a second, which would hold the export up for minutes.
  it('draws no more formulas than it has time for, and shows the others as they were written', () => {
    const drawnIn = (html: string): number => html.split('<math').length - 1;
    expect(drawnIn(proseHtml('$a_1$ '.repeat(900), 'a0', newPage()))).toBe(900);
    const own = proseHtml('$\\def\\a{xx}\\a$ '.repeat(100), 'a0', newPage());
    expect([drawnIn(own), own.split('<code>\\def').length - 1]).toEqual([53, 47]);
    // All answers of a page share the time.
    const page = newPage();
    const answers = [1, 2].map((at) => drawnIn(proseHtml('$\\def\\a{xx}\\a$ '.repeat(40), `a${at}`, page)));
    expect(answers).toEqual([40, 13]);
  });

  // Catches: 18 KB of a table that became 90 MB of cells, and 20 KB of headings that held the core for seven seconds.
  it('shows a table of very many cells and very many headings as they were written, and stays about as long', () => {
    const table = `${'|a'.repeat(3_000)}\n${'|-'.repeat(3_000)}\n${'x\n'.repeat(3_000)}`;
    for (const costly of [
      table,
      `> ${table.replaceAll('\n', '\n> ')}`,
      'a\n=\n'.repeat(5_000),
      'a:b\n'.repeat(5_000),
    ]) {
      const html = proseHtml(`# Begin\n${costly}\n# End\n\n*Done*`, 'a0', draw);
      expect(html.length).toBeLessThan(costly.length * 6);
      expect(html).toContain('<pre># Begin\n');
      expect(html).toContain('<em>Done</em>');
    }
    const usual = `|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(1_000)}`;
    expect(proseHtml(usual, 'a0', draw).split('<td>').length - 1).toBe(3_000);
  });

  it('keeps the footnotes of two answers apart', () => {
    const [one, two] = ['a1', 'a2'].map((id) => proseHtml('A word.[^1]\n\n[^1]: Its source.', id, draw));
    expect(one).toContain('id="a1-fn-1"');
    expect(two).toContain('id="a2-fn-1"');
  });

  it('shows a part with very many marks as it was written, and forms the parts around it', () => {
    const code = '```\n' + '[x]_y*\n'.repeat(2_000) + '```';
    const html = proseHtml(
      `# Begin\n\nA **word**.\n\n${code}\n\n# Marks\n${'_*'.repeat(1_000)}\n# End\n\n*Done*`,
      'a0',
      draw,
    );
    expect(html).toContain('<h1>Begin</h1>\n<p>A <strong>word</strong>.</p>');
    expect(html).toContain('<pre><code>[x]_y*');
    expect(html).toContain('<pre># Marks\n_*_*');
    expect(html.endsWith('<h1>End</h1>\n<p><em>Done</em></p>')).toBe(true);
    expect(html.split('[x]_y*').length).toBe(2_001);
  });
});

it('an exported page holds the pictures of a message itself', () => {
  const blob = { sha256: 'a'.repeat(64), bytes: 3 };
  const picture = { blob, mediaType: 'image/png' };
  const files = [
    { name: 'shot "one".png', picture },
    { name: 'gone.png', picture: { ...picture, blob: { ...blob, sha256: 'b'.repeat(64) } } },
    { name: 'notes.txt', picture: null },
  ];
  const item = { type: 'message', text: 'Look', at: 0, files } as const;
  const page = [
    ...talkAsPage(
      { title: 'T', branches: 0, items: [item], changes: [] },
      { pictures: new Map([[blob.sha256, 'data:image/png;base64,AAAA']]), draw },
    ),
  ].join('');
  expect(page.match(/<img /gu)).toHaveLength(1);
  expect(page).toContain('<img alt="shot &quot;one&quot;.png" src="data:image/png;base64,AAAA">');
  expect(page).toContain('img-src data:');
  expect(page).toContain('Attached: shot');
});

// Catches: an export without the lines that the window names below an answer, or with those that were forgotten.
it('an exported answer names the lines of the memory that it used', async () => {
  const memory = ['We write <dates> as 2026-11-29.', forgetMark('My name is Ada Fern-Lovelace.')];
  const end = {
    type: 'turn-ended',
    turnId: 't',
    reason: 'answered',
    text: 'Noted.',
    confidence: null,
    failure: null,
  } as const;
  const events = async function* () {
    yield { ...end, memory, v: 2, seq: 1, at: 0 } as const;
  };
  const talk = { title: 'x', branches: 0, changes: [], items: await readTalk(events(), () => true) };
  expect(talkAsMarkdown(talk)).toContain('Noted.\n\nFrom memory:\n\n- We write <dates> as 2026-11-29.\n\n*answered');
  const page = [...talkAsPage(talk, { pictures: new Map(), draw })].join('');
  expect(page).toContain('From memory<ul><li>We write &lt;dates&gt; as 2026-11-29.</li></ul>');
  expect(page).not.toContain('forgotten');
});
