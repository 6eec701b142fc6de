import { describe, expect, it } from 'vitest';
import { parseDevContainer } from '../../../../src/main/sandbox/images/dev-container.ts';

describe('a devcontainer.json', () => {
  it('is read with comments and commas at the end, which are none inside of texts', () => {
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
  ])('cannot be understood with %s', (_name, text) => {
    expect(parseDevContainer(text)).toBeNull();
  });

  // Bug: this took more than two minutes.
  it('is given up within a second when it is a quarter of a megabyte of quotes', () => {
    const from = performance.now();
    expect(parseDevContainer('"\\'.repeat(125_000))).toBeNull();
    expect(performance.now() - from).toBeLessThan(1000);
  });
});
