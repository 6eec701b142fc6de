import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * The British spellings that were found here. `cancelled` is in the events of old and new logs, so it stays as it is.
 */
const british = /(?:colour|behaviour|neighbour|favour|honour|licence|catalogue|normalis|organis|recognis|initialis)/iu;

/** Files with words of others: names that a package or a secret has, and quotes. */
const ofOthers: Readonly<Record<string, string>> = {
  'src/main/safety/assigned-secrets.ts': 'words that stand in code of others',
  'src/main/lib/files/parse-toml.ts': 'an option of a package',
  'src/main/tools/own/read-declaration.ts': 'an option of a package',
  'tests/lint/spelling.test.ts': 'this list',
};

describe('the words of code and texts', () => {
  it('have one spelling, the American one', () => {
    const paths = execFileSync('git', ['ls-files', 'src', 'resources/prompts', 'docs/guide'], { encoding: 'utf8' })
      .split('\n')
      .filter((path) => /\.(?:ts|tsx|css|md|html)$/u.test(path) && !(path in ofOthers));
    const found = paths.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, at) => (british.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
