import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isContractProcedure } from '@orpc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '@shared/contract/contract.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { modelsNamed } from '../../../src/main/models/known-models.ts';
import type { ClientCore } from '../../fakes/core-client.ts';
import { openClientCore } from '../../fakes/core-client.ts';

let folder = '';
let core: ClientCore;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-known-'));
  const paths = { home: join(folder, 'home'), cache: join(folder, 'cache') };
  core = await openClientCore({ ...paths, version: 'test', onNotice: () => undefined });
});

afterAll(async () => {
  await core.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = {
  data: {
    code: expect.stringMatching(/^(?:missing-model|bad-input)$/u),
    message: expect.stringMatching(/The (?:model|provider) \S+ was not found\./u),
  },
};

describe('a model that cannot exist', () => {
  // Bug: a misspelled model was taken silently, and the next task said what was wrong, or another model worked.
  it.each(['llama-cpp/typo', 'lama-cpp/x', 'nope/typo'])(
    'is refused at each door, and nothing is changed: %s',
    async (id) => {
      const { client } = core;
      const { sessionId } = await client.sessions.create({ projectPath: null });
      const before = await client.settings.get({});
      const doors = [
        () => client.settings.set({ key: 'local', value: id }),
        () => client.settings.set({ key: 'modelOrder', value: [id] }),
        () => client.settings.set({ key: ['projectModels', '/p'], value: { cloud: id } }),
        () => client.projects.configure({ projectPath: folder, change: { type: 'choose', choices: { local: id } } }),
        () => client.assistants.save({ name: 'letters', text: `---\nmodel: ${id}\n---\nYou write.`, replace: false }),
        () => client.sessions.send({ sessionId, text: 'Hi', options: runOptionsSchema.parse({ cloud: id }) }),
        () => client.sessions.choose({ sessionId, chosen: { local: id } }),
      ];
      for (const door of doors) await expect(door()).rejects.toMatchObject(refusal);
      expect(await client.settings.get({})).toEqual(before);
      expect((await client.sessions.show({ sessionId })).state.messages).toEqual([]);
    },
  );

  it('is no model that a service may have: no service is asked', async () => {
    await core.client.settings.set({ key: 'cloud', value: 'anthropic/some-new-model' });
    expect(await core.client.settings.get({ key: 'cloud' })).toBe('anthropic/some-new-model');
  });
});

it('the names of models are found wherever an input has them', () => {
  expect(
    modelsNamed({
      text: 'llama-cpp/not-this',
      ways: [{ policy: 'local', local: 'a/1' }, { cloud: 'b/2' }],
      judge: { model: 'c/3' },
      locals: ['d/4'],
      options: { modelOrder: ['e/5'] },
    }),
  ).toEqual(['a/1', 'b/2', 'c/3', 'd/4', 'e/5']);
});

/** They ask, and keep nothing. Each says itself that there is no such model, or what it would do. */
const asks = ['attachments.preview', 'endpoint.answer', 'endpoint.count', 'endpoint.expectAgain', 'endpoint.readTexts'];
const asksAboutModels = ['models.addAdapter', 'plan', 'routing.expect', 'taskNeeds'];

/** Catches: a new command that takes a model's name, and that nobody checks. */
it('every command that takes the name of a model refuses one that cannot exist, or only asks', () => {
  const named = commands(contract, '')
    .filter(([, schema]) => hasModel(schema))
    .map(([name]) => name);
  expect(named.sort()).toEqual(
    [
      ...asks,
      ...asksAboutModels,
      'calibrations.create',
      'comparisons.create',
      'endpoint.askAgain',
      'projects.configure',
      'sessions.choose',
      'sessions.send',
    ].sort(),
  );
});

function commands(node: object, path: string): readonly (readonly [string, unknown])[] {
  if (isContractProcedure(node)) return [[path, node['~orpc'].inputSchema]];
  return Object.entries(node).flatMap(([name, child]) =>
    commands(Object(child), path === '' ? name : `${path}.${name}`),
  );
}

function hasModel(schema: unknown): boolean {
  if (!(schema instanceof z.ZodType)) return false;
  return /"(?:local|cloud|locals|model|modelOrder)":\{/u.test(
    JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
  );
}
