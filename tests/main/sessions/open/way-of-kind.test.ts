import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { route } from '../../../../src/main/hosts/cli/commands/route.command.ts';
import { success } from '../../../../src/shared/errors.ts';
import { runOptionsSchema } from '../../../../src/shared/session/run-options.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { eventsOf, openClientCore, type ClientCore } from '../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
let project: string;
let core: ClientCore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-kind-'));
  project = join(folder, 'project');
  await mkdir(project);
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {}, exec: () => ({ exitCode: 0 }) })),
  });
  const replies = [{ toolCalls: [{ name: 'task_complete', input: { summary: 'Done.' } }] }];
  for (const name of ['usual', 'chosen'])
    await core.client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', replies, repeat: true } });
  await core.client.settings.set({ key: 'local', value: 'usual/script' });
  await core.client.settings.set({ key: 'policy', value: 'local' });
});
afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function use(args: object): Promise<string> {
  const { context, said } = commandContext({ handlers: core.handlers });
  expect(await route(context, undefined, undefined, args)).toBe(0);
  return said.out + said.err;
}

/** The model of the first step of a task, why, and what the session was told. */
async function firstStep(text: string, run: object = {}) {
  const { sessionId } = await core.client.sessions.create({ projectPath: project, title: 'Task' });
  await core.client.sessions.send({ sessionId, text, options: runOptionsSchema.parse({ strategy: 'loop', ...run }) });
  await core.client.sessions.result({ sessionId });
  const events = await eventsOf(core.client, sessionId);
  const decided = events.find((event) => event.type === 'route-decided');
  const told = events.flatMap((event) => (event.type === 'notice-added' ? [event.text] : []));
  return {
    model: decided?.type === 'route-decided' ? decided.chosen.model : null,
    reason: decided?.type === 'route-decided' ? decided.reason : '',
    told: told.join('\n'),
  };
}

describe('a way that was chosen for a kind of task', () => {
  it('does the tasks of that kind and says so, until it is removed', async () => {
    expect(await use({ use: 'local:chosen/script', kind: 'fix' })).toContain('for fixes in all projects');
    const fixed = await firstStep('Fix the failing test.');
    expect(fixed.model).toBe('chosen/script');
    expect(fixed.reason).toContain('Your choice for fixes, local:chosen/script.');
    expect((await firstStep('Rename add() to sum().')).model).toBe('usual/script');
    expect((await firstStep('Fix the failing test.', { local: 'usual/script' })).model).toBe('usual/script');
    expect(await use({ used: true })).toContain('fixes: local:chosen/script');
    await use({ use: 'usual', kind: 'fix' });
    expect(await use({ used: true })).toContain('No way was chosen');
    const usual = await firstStep('Fix the failing test.');
    expect(usual.model).toBe('usual/script');
    expect(usual.reason).not.toContain('Your choice');
  }, 120_000);

  it('says that it is not used where its model is gone, and the usual models work', async () => {
    const gone = { kind: 'scripted', replies: [], where: 'local' };
    await core.client.settings.set({ key: 'providers.gone', value: gone });
    await use({ use: 'local:gone/script', kind: 'fix', project });
    await core.client.settings.unset({ key: 'providers.gone' });
    const { model, reason, told } = await firstStep('Fix the failing test.');
    expect(model).toBe('usual/script');
    expect(told).toContain(
      'Your choice for fixes, local:gone/script, is not used: the model gone/script is not there.',
    );
    expect(reason).toContain('is not used');
  }, 120_000);

  it('does not reach over the models that a project has of its own', async () => {
    await use({ use: 'local:chosen/script', kind: 'fix' });
    await use({ use: 'local:usual/script', project });
    expect((await firstStep('Fix the failing test.')).model).toBe('usual/script');
    await use({ use: 'local:chosen/script', kind: 'fix', project });
    expect((await firstStep('Fix the failing test.')).model).toBe('chosen/script');
  }, 120_000);
});
