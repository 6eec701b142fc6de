import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { success } from '../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

it('the recorded cost of a call stays the same when its price or the settings change', async () => {
  const home = await mkdtemp(join(tmpdir(), 'dewpoint-costs-'));
  const core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: { 'a.py': 'x = 1\n' } })),
  });
  const spend = async (output: number | null): Promise<void> => {
    const price = output === null ? {} : { price: { input: 0, output, source: 'test', date: '2026-11-21' } };
    const replies = [{ toolCalls: [{ name: 'task_complete', input: { summary: 'ok' } }] }];
    await core.client.settings.set({
      key: 'providers.sky',
      value: { kind: 'scripted', where: 'cloud', replies, repeat: true, ...price },
    });
    const { sessionId } = await core.client.sessions.create({ projectPath: null });
    const options = { policy: 'cloud', cloud: 'sky/script', strategy: 'loop', interactive: false };
    await core.client.sessions.send({ sessionId, text: 'Mend it.', options: runOptionsSchema.parse(options) });
    expect(await core.client.sessions.result({ sessionId })).toMatchObject({ status: 'done' });
  };
  try {
    await spend(100);
    const { total: first } = await core.client.costs({ by: 'session' });
    expect(first.costUsd).toBeGreaterThan(0);
    await spend(300);
    expect((await core.client.costs({ by: 'session' })).total.costUsd).toBeCloseTo(first.costUsd * 4, 9);
    await core.client.settings.set({ key: 'prices', value: { 'sky/script': { input: 0, output: 1000 } } });
    await spend(300);
    const { rows, total } = await core.client.costs({ by: 'model' });
    expect(total.costUsd).toBeCloseTo(first.costUsd * 14, 9);
    expect(await core.client.monthCosts({})).toMatchObject({
      days: null,
      spent: { usd: { value: total.costUsd } },
      payback: { hardwareUsd: null, months: null },
    });
    expect(rows.map(({ key, elsewhere }) => [key, elsewhere.allCloud.basis])).toEqual([['sky/script', 'measured']]);
  } finally {
    await core.dispose();
    await rm(home, { recursive: true, force: true });
  }
});
