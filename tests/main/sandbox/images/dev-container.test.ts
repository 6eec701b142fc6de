import { describe, expect, it } from 'vitest';
import { parseDevContainer } from '../../../../src/main/sandbox/images/dev-container.ts';

describe('a devcontainer.json', () => {
  it('may have comments and trailing commas, which count only outside of texts', () => {
    const text = `{
      // the image
      "image": "python:3 // not a comment, /* nor this */", /* "image": "other" */
      "containerEnv": { "NAME": "a \\"quoted\\" one,}", },
    }`;
    const read = parseDevContainer(text);
    expect([read?.image, read?.environment]).toEqual([
      'python:3 // not a comment, /* nor this */',
      { NAME: 'a "quoted" one,}' },
    ]);
  });

  it.each([
    ['a text that is not closed', '{"image": "python:3'],
    ['a comment that is not closed', '{"image": "python:3"} /* and'],
    ['a line break in a text', '{"image": "python:3\\\n"}'],
  ])('is rejected with %s', (_name, text) => {
    expect(parseDevContainer(text)).toBeNull();
  });

  // Bug: this took more than two minutes.
  it('made of 250,000 quotes is rejected within a second', () => {
    const from = performance.now();
    expect(parseDevContainer('"\\'.repeat(125_000))).toBeNull();
    expect(performance.now() - from).toBeLessThan(1000);
  });
});
