import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RouteArguments } from '../../../../../src/main/hosts/cli/commands/route.command.ts';
import { route } from '../../../../../src/main/hosts/cli/commands/route.command.ts';
import { profiles } from '../../../../../src/shared/routing/routing-profiles.ts';
import { routingOf } from '../../../../../src/main/settings/profile-routing.ts';
import { call, createAgentKit, turnOptions } from '../../../../fakes/agent-kit.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../fakes/scripted-core.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Prints what the command says about a session that the cloud took over. */
async function say(session?: string, step?: string, args: RouteArguments = {}): Promise<string> {
  const bad = (old: string) => call('edit_file', { path: 'a.py', old, new: 'x' });
  const kit = createAgentKit({
    replies: [bad('one'), bad('two'), call('task_complete', { summary: 'Nothing to do.' })],
    cloud: { price: { input: 3, output: 15, source: 'test', date: '2026-11-21' } },
  });
  const routing = routingOf('balanced', { advice: false });
  await kit.runner.send('See to it.', { ...turnOptions, policy: 'hybrid', cloud: 'sky/model', routing });
  const core = createScriptedCore();
  const { sessionId } = await core.client.sessions.create({ projectPath: null });
  for (const event of kit.journal.events) core.append(sessionId, event);
  const { context, said } = commandContext(core);
  await route(context, session, step, args);
  return said.out + said.err;
}

describe('dewpoint route', () => {
  it('says what the same tokens would have cost on the other side', async () => {
    expect(await say('session-1', '1')).toMatch(/In the cloud, the same tokens would .*cost about \$/u);
  });

  it('lists where each step ran, and who decided that', async () => {
    expect((await say('session-1')).replaceAll(/ +/gu, ' ').split('\n')).toEqual([
      ' loop on fake/model: The model chooses the tools itself.',
      expect.stringMatching(/^ 1 local fake\/model Fake model starts/u),
      expect.stringMatching(/^ 2 local fake\/model An edit was not made\. Trying again here/u),
      expect.stringMatching(/^ 3 cloud sky\/model Sky model takes over after 2 failures/u),
      '2 of 3 steps ran on this machine.',
      expect.stringMatching(/^Step 3 went to sky\/model \(no-progress\): Sky model takes over after 2 failures/u),
      '',
    ]);
  });

  it('shows the candidates, prices and votes of one step', async () => {
    const text = await say('session-1', '3');
    expect(text).toContain('Step 3 (working) ran in the cloud: sky/model');
    expect(text).toContain('Decided by earlier failures (bad-signals)');
    expect(text).not.toContain('It started with');
    expect(await say('session-1', '1')).toContain('It started with loop on fake/model: The model chooses');
    expect(text).toMatch(/fake\/model +runner-up +- +\$0 /u);
    expect(text).toMatch(/sky\/model +chosen +- +\$0\.\d{4} +\$\d/u);
    expect(text).toMatch(/cloud +\d\.\d\d +trajectory +Some of the last steps went wrong\./u);
  });

  it('refuses a step that does not exist', async () => {
    await expect(say('session-1', '9')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('writes every decision with its outcome on one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dewpoint-route-'));
    folders.push(folder);
    const path = join(folder, 'records.jsonl');
    expect(await say(undefined, undefined, { export: path })).toBe(`Written to ${path}: 3 decisions of 1 session.\n`);
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const records = lines.map((line): unknown => JSON.parse(line));
    expect(records).toMatchObject([
      {
        version: 1,
        step: 1,
        chosen: { where: 'local' },
        outcome: { toolCalls: 1, toolFailures: 1, isEscalated: false },
      },
      { step: 2, code: 'retry-here', outcome: { isEscalated: true, turn: { checkPassed: null } } },
      {
        step: 3,
        code: 'bad-signals',
        decision: { layer: 'L5', gain: expect.any(Number) },
        outcome: { changes: null },
      },
    ]);
    await expect(say('nobody', undefined, { export: path })).rejects.toThrow('The session nobody was not found.');
  });

  it('shows the numbers of each profile beside those of the person', async () => {
    const numbers = { consecutiveFailures: 7, roles: { title: 'none' } };
    const core = createScriptedCore();
    core.replace({ settings: { get: () => ({ profile: 'economy', numbers }) } });
    const { context, said } = commandContext(core);
    await route(context, undefined, undefined, { profiles: true });
    const lines = said.out.replaceAll(/ +/gu, ' ').split('\n');
    expect(lines[0]).toBe(' economy balanced quality yours');
    expect(lines).toContain('consecutiveFailures Failures in a row before the cloud takes over 3 2 1 7');
    expect(lines).toContain('valueUsd Value of a solved task, while that is not known yet $0.20 $1.00 $5.00');
    expect(lines).toContain('roles.title Titles run on this machine this machine this machine nobody');
    const shown = lines.slice(1).flatMap((line) => line.split(' ').slice(0, 1));
    for (const name of Object.keys(profiles.balanced))
      expect(shown.some((one) => one.split('.')[0] === name)).toBe(true);
    expect(said.err).toContain('hybrid uses economy with your own numbers');
  });
});
