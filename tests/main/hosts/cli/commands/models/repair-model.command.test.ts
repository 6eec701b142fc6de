import { describe, expect, it } from 'vitest';
import { repairModel } from '../../../../../../src/main/hosts/cli/commands/models/repair-model.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';
import type { ModelRepair } from '@shared/contract/models-contract.ts';

const broken: ModelRepair = { problem: 'its template is missing', plan: 'a model is derived', made: null };

/** What the command prints and what it asks of the core. Nobody answers questions. */
async function run(found: ModelRepair, args: { readonly yes?: boolean; readonly json?: boolean }) {
  const applied: boolean[] = [];
  const core = createScriptedCore();
  core.replace({
    models: {
      repair: ({ input: { apply } }) => {
        applied.push(apply);
        return apply ? { ...found, made: 'ollama/dewpoint/m' } : found;
      },
    },
  });
  const { context, said } = commandContext(core);
  const code = await repairModel(context, 'ollama/m', args).catch((error: unknown) => String(error));
  return { code, ...said, applied };
}

describe('models repair', () => {
  it('does nothing without a yes, and says what it would do', async () => {
    const { code, err, applied } = await run(broken, {});
    expect([code, applied]).toEqual([expect.stringContaining('nobody can answer here'), [false]]);
    expect(err).toContain('its template is missing.\nTo repair it, a model is derived.');
  });

  it('makes the derived model after a yes, and says how to use it', async () => {
    const { code, out, err, applied } = await run(broken, { yes: true, json: true });
    expect([code, applied]).toEqual([0, [false, true]]);
    expect(JSON.parse(out)).toEqual({ ...broken, made: 'ollama/dewpoint/m' });
    expect(err).toContain('--local ollama/dewpoint/m');
  });

  it('leaves a model alone that is sound or that nothing repairs', async () => {
    expect(await run({ problem: null, plan: null, made: null }, { yes: true })).toMatchObject({
      code: 0,
      applied: [false],
    });
    expect(await run({ ...broken, plan: null }, { yes: true })).toMatchObject({ code: 1, applied: [false] });
  });
});
