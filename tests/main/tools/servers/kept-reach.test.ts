import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import { createKeptReach } from '../../../../src/main/tools/servers/kept-reach.ts';
import { reachedText } from '../../../../src/main/hosts/cli/reports/server-lines.ts';
import { approveAll, toolServerScene } from '../../../fakes/tool-server-scene.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const { signal } = new AbortController();

// Catches: a server that counts as ready although it went away, and a later start that knows nothing of that.
describe('when a tool server answered last', () => {
  it('is told after the server went away, with why, and in a later run', async () => {
    const one = toolServerScene('dies-in-tools/call', { now: () => Date.UTC(2026, 10, 30, 12, 5) });
    ends.push(one.end);
    const report = async () => (await one.commands.list({ input: undefined, signal }))[0];
    await approveAll(one);
    expect(await report()).toMatchObject({ state: 'running', problem: null, reachedAt: Date.UTC(2026, 10, 30, 12, 5) });
    const [spec] = await one.tools.offered();
    if (spec === undefined) throw new Error('no tool');
    expect(await one.tools.call(spec, { text: 'hi' }, { signal, onProgress: () => undefined })).toMatchObject({
      status: 'unknown',
    });
    const after = await report();
    expect(after).toMatchObject({ state: 'failed', problem: expect.stringContaining('went away') });
    expect(reachedText({ reachedAt: after?.reachedAt ?? null })).toBe('last reached 2026-11-30 12:05 UTC');
    const later = createKeptReach(join(one.home, 'tools'), () => 2);
    expect(await later.of('made', after?.sha256 ?? '')).toMatchObject({
      reachedAt: Date.UTC(2026, 10, 30, 12, 5),
      problem: expect.stringContaining('went away'),
    });
    await later.started('made', after?.sha256 ?? '');
    expect(await later.of('made', after?.sha256 ?? '')).toEqual({ reachedAt: 2, failedAt: null, problem: null });
  });

  it('is not known for another definition, after a removal, or from a broken file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dewpoint-reach-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const nothing = { reachedAt: null, failedAt: null, problem: null };
    const kept = createKeptReach(folder, () => 5);
    await kept.notStarted('notes', 'a', new Error('no route'));
    await kept.notStarted('keyless', 'a', new AppError('missing-key', 'It needs a key.'));
    expect([kept.problem('keyless'), await kept.of('keyless', 'a')]).toEqual(['It needs a key.', nothing]);
    expect(await kept.of('notes', 'a')).toEqual({ reachedAt: null, failedAt: 5, problem: 'no route' });
    expect(await kept.of('notes', 'b')).toEqual(nothing);
    writeFileSync(join(folder, 'notes', 'reach.json'), '{"sha256"');
    expect(await createKeptReach(folder, () => 6).of('notes', 'a')).toEqual(nothing);
    await kept.drop('notes');
    expect(await kept.of('notes', 'a')).toEqual(nothing);
    expect(reachedText({ reachedAt: null })).toBe('');
  });
});
