import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine, requireEngine } from '../docker/docker-kit.ts';
import { allRows } from './all-rows.ts';
import type { HostileRow } from './hostile-row.ts';
import { describeRow, type JudgedRow } from './judge-row.ts';
import { plantsOf } from './row-scripts.ts';
import { runCorpus, type Planter } from './run-corpus.ts';
import { sandboxImageName } from './sandbox-image-name.ts';

const run = promisify(execFile);

/** A session without any protection or notices. */
function withoutProtection(image: string): Planter {
  const user = process.getuid?.() === 0 ? '1234:1234' : `${process.getuid?.()}:${process.getgid?.()}`;
  const container = ['run', '--rm', '--network', 'none', '--user', user, '--env', 'HOME=/tmp', '--entrypoint', 'bash'];
  return async (planting, { workspace }) => {
    for (const command of plantsOf(planting)) {
      const place = ['--volume', `${workspace}:${workspace}`, '--workdir', workspace];
      await run('docker', [...container, ...place, image, '-c', command]).catch(() => undefined);
    }
    return { seen: { runsLater: [], said: [] }, output: '' };
  };
}

const broken: HostileRow = {
  id: 'nothing-at-all',
  subject: 'the harness',
  what: 'A row that plants nothing.',
  everyday: 'git',
  plant: 'true',
};

/** Catches: a harness whose attacks never arrive, so that everything seems to be blocked. */
describe.skipIf(isWithoutEngine || process.platform === 'win32')(
  'the harness over a session without protection',
  () => {
    let judged: readonly JudgedRow[] = [];
    beforeAll(async () => {
      const engine = requireEngine();
      const names = [
        'key-top-core-fsmonitor',
        'place-nested-added',
        'hook-top-pre-commit',
        'npm-test',
        'opens-dot-envrc',
      ];
      const rows = [...allRows.filter(({ id }) => names.includes(id)), broken];
      const image = await sandboxImageName(engine);
      const [found] = await runCorpus(rows, { engine, images: [image], plant: withoutProtection(image) });
      judged = found?.rows ?? [];
    });

    it('calls every attack missed, and a harmless row inert', () => {
      expect(Object.fromEntries(judged.map((one) => [one.row.id, one.result]))).toEqual({
        'key-top-core-fsmonitor': 'missed',
        'place-nested-added': 'missed',
        'hook-top-pre-commit': 'missed',
        'npm-test': 'missed',
        'opens-dot-envrc': 'missed',
        'nothing-at-all': 'inert',
      });
    });

    it('says which command of the person ran it', () => {
      const [first] = judged;
      expect(first === undefined ? '' : describeRow(first)).toMatch(
        /after a session: run by an everyday command: .*git status/,
      );
    });
  },
);
