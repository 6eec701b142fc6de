import { createTwoFilesPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { diffFiles } from '../../../../src/main/sessions/changes/file-diff.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the diff of two versions of a file', () => {
  it.for([
    [null, 'a\nb\n'],
    [null, 'a\nb'],
    [null, 'a\n\n'],
    ['', 'a\n'],
    ['a\nb\n', null],
    ['a', ''],
    [null, ''],
  ] as const)('is the whole file when one side is missing: %j and %j', ([before, after]) => {
    const [left, right] = [before, after].map((text) => (text === null ? null : bytes(text)));
    const names = [before === null ? '/dev/null' : 'a/x', after === null ? '/dev/null' : 'b/x'] as const;
    const headerOptions = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };
    expect(diffFiles('x', left ?? null, right ?? null).text).toBe(
      createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, { headerOptions }),
    );
  });

  it('of a new file is shown whatever its length', () => {
    const { added, note, text } = diffFiles('x', null, bytes('line\n'.repeat(20_000)));
    expect([added, note, text?.split('\n').length]).toEqual([20_000, null, 20_004]);
  });
});
