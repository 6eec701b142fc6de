import { describe, expect, it } from 'vitest';
import { readCallResult } from '../../../../src/main/tools/mcp/call-result.ts';
import { redSquare } from '../../../fakes/mcp-http-server.ts';

const image = (data: string, mimeType = 'image/png') => ({ type: 'image', data, mimeType });
const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** The first bytes of a PNG that claims this size. */
function pngOf(width: number, height: number): string {
  const bytes = Buffer.from(redSquare, 'base64');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

describe('the images of a tool result', () => {
  it('are recognized by their bytes and named in its text', () => {
    const blob = { uri: 'notes://square', mimeType: 'image/gif', blob: redSquare };
    const { output, pictures } = readCallResult({
      content: [{ type: 'text', text: 'Here.' }, image(redSquare, 'text/html'), { type: 'resource', resource: blob }],
    });
    const facts = { mediaType: 'image/png', width: 4, height: 4 };
    expect(pictures).toEqual([1, 2].map(() => ({ bytes: Buffer.from(redSquare, 'base64'), ...facts })));
    expect(output).toContain('Here.\n[image 1, 4 × 4 pixels, 73 B: the user sees it]\n[image 2,');
  });

  // Catches: a script in an SVG that is declared as a PNG, and images that fill the log, the prompt or the window's
  // memory.
  it.each([
    ['an SVG', image(inBase64('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')), 'no PNG'],
    ['a page', image(inBase64('<html><script>alert(1)</script></html>')), 'no PNG'],
    ['no data', { type: 'image', mimeType: 'image/png' }, 'no data'],
    ['a large one', image('A'.repeat(4_000_000)), 'more than 3 MB'],
    ['a wide one', image(pngOf(200_000, 1)), '200000 × 1 pixels'],
    ['one that is large where it is drawn', image(pngOf(7_000, 7_000)), '7000 × 7000 pixels'],
  ])('are not taken from %s, and the result says so', (_name, part, why) => {
    const { output, pictures } = readCallResult({ content: [part] });
    expect(pictures).toBeUndefined();
    expect(output).toContain('not shown');
    expect(output).toContain(why);
  });

  it('are limited to four', () => {
    const { output, pictures } = readCallResult({ content: Array.from({ length: 9 }, () => image(redSquare)) });
    expect(pictures).toHaveLength(4);
    expect(output.split('\n').filter((line) => line.includes('at most 4'))).toHaveLength(5);
  });
});

describe('a tool result in a form that the protocol does not know', () => {
  it.each([
    ['a text in place of a list', { content: '21 degrees' }, '21 degrees'],
    ['one part in place of a list', { content: { type: 'text', text: '21 degrees' } }, '21 degrees'],
    ['a list of texts', { content: ['21', 'degrees'] }, '21\ndegrees'],
    ['no object', '21 degrees', '21 degrees'],
    ['a kind of text of its own', { content: [{ type: 'markdown', text: '**21**' }] }, '**21**'],
    [
      'a link without a name',
      { content: [{ type: 'resource_link', uri: 'https://a.example' }] },
      '[link: https://a.example]',
    ],
    ['another kind', { content: [{ type: 'hologram' }] }, '[content of the kind hologram: not shown]'],
    ['a list as structured content', { structuredContent: [21] }, '[\n 21\n]'],
  ])('is read as far as it goes: %s', (_name, result, output) => {
    expect(readCallResult(result)).toMatchObject({ status: 'ok', output });
    expect(readCallResult({ content: [], structuredContent: {}, whole: result })).toMatchObject({
      status: 'ok',
      output,
    });
  });
});

describe('structured content of a tool result', () => {
  it('is used when there is no text, also beside an image', () => {
    const structuredContent = { degrees: 21 };
    expect(readCallResult({ content: [image(redSquare)], structuredContent }).output).toContain('"degrees": 21');
    const both = { content: [{ type: 'text', text: '21 degrees' }], structuredContent };
    expect(readCallResult(both).output).toBe('21 degrees');
  });

  it('becomes a table for the person if it is a list, and is unchanged for the model', () => {
    const structuredContent = { days: [{ day: 'Mon', degrees: 21 }] };
    const content = [{ type: 'text', text: 'Monday: 21 degrees' }];
    const table = { kind: 'table', title: 'days', content: '"day","degrees"\n"Mon","21"' };
    const read = readCallResult({ content, structuredContent });
    expect(read).toEqual({ status: 'ok', output: 'Monday: 21 degrees', data: { table } });
    expect(readCallResult({ content, structuredContent, isError: true }).data).toBeUndefined();
  });
});
