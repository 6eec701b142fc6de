import { beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine, requireEngine } from '../docker/docker-kit.ts';
import { allRows } from './all-rows.ts';
import { describeRow, type JudgedRow } from './judge-row.ts';
import { runCorpus } from './run-corpus.ts';
import { sandboxImageName } from './sandbox-image-name.ts';

const only = process.env['DEWPOINT_TEST_ROWS'];
const rows = only === undefined ? allRows : allRows.filter(({ id }) => new RegExp(only).test(id));

describe.skipIf(isWithoutEngine || process.platform === 'win32')('the corpus of hostile files', () => {
  let judged: readonly JudgedRow[] = [];
  beforeAll(async () => {
    const engine = requireEngine();
    const [run] = await runCorpus(rows, { engine, images: [await sandboxImageName(engine)] });
    judged = run?.rows ?? [];
  }, 600_000);

  it.each(rows.map((row) => [row.id, row] as const))('%s', (id) => {
    const found = judged.find(({ row }) => row.id === id);
    expect(found === undefined ? 'was not run' : isGood(found) ? 'good' : describeRow(found)).toBe('good');
  });
});

function isGood({ row, result }: JudgedRow): boolean {
  return result === 'blocked' || result === 'shown' || (result === 'inert' && row.inert !== undefined);
}
