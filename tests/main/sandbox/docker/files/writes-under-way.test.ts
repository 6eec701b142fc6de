import { describe, expect, it } from 'vitest';
import { WritesUnderWay } from '../../../../../src/main/sandbox/files/skipped-folders.ts';

describe('the temporary file of a write', () => {
  it('is ignored by a look at the files that overlaps the write, and by no later one', async () => {
    const writes = new WritesUnderWay();
    const seen: boolean[] = [];
    let name = '';
    await writes.around(async (isOurs) => {
      await writes.during(async (temporary) => {
        name = temporary;
        await writes.around(async (isAlsoOurs) => void seen.push(isAlsoOurs(`a/${name}`), isAlsoOurs(`${name}/loot`)));
      });
      seen.push(isOurs(name), isOurs('.dewpoint-write-0123456789abcdef'));
    });
    await writes.around(async (isOurs) => void seen.push(isOurs(name)));
    expect(seen).toEqual([true, false, true, false, false]);
  });
});
