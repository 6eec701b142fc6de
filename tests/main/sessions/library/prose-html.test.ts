import { describe, expect, it } from 'vitest';
import { proseHtml } from '../../../../src/main/sessions/library/readable/prose-html.ts';
import { forgetMark } from '../../../../src/shared/projects/memory-line.ts';
import { readTalk } from '../../../../src/main/sessions/library/readable/read-talk.ts';
import { talkAsMarkdown, talkAsPage } from '../../../../src/main/sessions/library/readable/write-talk.ts';

describe('an answer in an exported page', () => {
  it('has its headings, tables, lists and code as such, in any script', () => {
    const html = proseHtml(
      '## 比較\n\n| 言語 | $ |\n|---|--:|\n| 日本語 | 6.90 |\n\n- [x] done\n\n```py\na < b\n```',
      'a0',
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
    const html = proseHtml(hostile, 'a0');
    expect(html).not.toMatch(/<(?:script|img)/u);
    expect(html).not.toMatch(/href="(?!https:\/\/example\.com\/|")/u);
    expect(html).toContain('title="https://example.com/?a=%22onclick=" rel="noreferrer"');
    expect(html).toContain('U+202E');
  });

  it('keeps the footnotes of two answers apart', () => {
    const [one, two] = ['a1', 'a2'].map((id) => proseHtml('A word.[^1]\n\n[^1]: Its source.', id));
    expect(one).toContain('id="a1-fn-1"');
    expect(two).toContain('id="a2-fn-1"');
  });

  it('shows a part with very many marks as it was written, and forms the parts around it', () => {
    const code = '```\n' + '[x]_y*\n'.repeat(2_000) + '```';
    const html = proseHtml(
      `# Begin\n\nA **word**.\n\n${code}\n\n# Marks\n${'_*'.repeat(1_000)}\n# End\n\n*Done*`,
      'a0',
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
  const page = talkAsPage(
    { title: 'T', branches: 0, items: [item], changes: [] },
    new Map([[blob.sha256, 'data:image/png;base64,AAAA']]),
  );
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
  const page = talkAsPage(talk, new Map());
  expect(page).toContain('From memory<ul><li>We write &lt;dates&gt; as 2026-11-29.</li></ul>');
  expect(page).not.toContain('forgotten');
});
