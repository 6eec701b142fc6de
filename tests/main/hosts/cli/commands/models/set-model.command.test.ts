import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueOf } from '@shared/errors.ts';
import { showModel } from '../../../../../../src/main/hosts/cli/commands/models/models.command.ts';
import { setModel } from '../../../../../../src/main/hosts/cli/commands/models/set-model.command.ts';
import { createSettingsCommands } from '../../../../../../src/main/settings/commands.ts';
import { openSettings } from '../../../../../../src/main/settings/settings-store.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

const id = 'llama-cpp/qwen2.5-coder';
const model: ModelEntry = {
  id,
  label: 'Qwen',
  where: 'local',
  state: 'ready',
  sizeBytes: 1,
  license: null,
  note: null,
  info: null,
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-set-model-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function open(info: ModelEntry['info'] = null) {
  const settings = valueOf(await openSettings(home));
  const core = createScriptedCore();
  core.replace({
    models: { show: () => ({ ...model, info }) },
    settings: createSettingsCommands(settings, { searchModelProblem: async () => null }),
  });
  const { context, said } = commandContext(core);
  const set = (...words: readonly string[]) =>
    setModel(context, id, { words }).catch((error: unknown) => String(error));
  const show = async (): Promise<string> => {
    said.out = '';
    await showModel(context, id, {});
    return said.out;
  };
  return { settings, set, show };
}

describe('models set', () => {
  it('changes each setting of a probe, keeps the others, and takes one back', async () => {
    const { settings, set, show } = await open();
    await set('calls=text', 'strategies=loop,recipe', 'toolBudget=5', 'promptForm=short', 'edits=whole-file');
    await set('temperature=0.4', 'topP=0.9', 'systemText=Say "x = 1".', 'calls=');
    const own = {
      strategies: ['loop', 'recipe'],
      toolBudget: 5,
      promptForm: 'short',
      edits: 'whole-file',
      temperature: 0.4,
      topP: 0.9,
      systemText: 'Say "x = 1".',
    };
    expect(settings.current().models).toEqual({ [id]: own });
    expect(await show()).toMatch(/you set +toolBudget 5 · promptForm short · .* · strategies loop,recipe/u);
    await set(...Object.keys(own).map((name) => `${name}=`));
    expect(settings.current().models).toEqual({});
    expect(await show()).not.toContain('you set');
  });

  it('changes nothing when one of the words is wrong', async () => {
    const { settings, set } = await open();
    expect(await set('calls=text', 'color=red')).toContain('A model has no setting color.');
    expect(await set('calls=text', 'toolBudget=many')).toContain('toolBudget');
    expect(settings.current().models).toEqual({});
  });

  it('refuses a step of thinking that the model does not know', async () => {
    const plain = { id, label: 'Qwen', where: 'local', capabilities: {} } as unknown as NonNullable<ModelEntry['info']>;
    const none = await open(plain);
    expect(await none.set('thinking=high')).toContain('Qwen has no switch for thinking. Nothing was changed.');
    const some = await open({ ...plain, efforts: ['none', 'low'] });
    expect(await some.set('thinking=high')).toContain('Qwen knows off, low.');
    expect(some.settings.current().models).toEqual({});
    await some.set('thinking=off');
    expect(some.settings.current().models).toEqual({ [id]: { thinking: 'none' } });
  });
});
