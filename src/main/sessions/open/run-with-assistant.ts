import { AppError } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import { howToGet } from '@shared/models/model-info.ts';
import type { Assistant } from '@shared/session/assistants.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { Settings } from '@shared/settings/settings.ts';

/**
 * The run options, completed by the assistant where they say nothing. The assistant chooses a model if the policy lets
 * that model run. It never changes the policy, an approval or the network. Throws `bad-input`, `refused` or
 * `missing-model` rather than letting another model do the turn.
 */
export async function runWithAssistant(
  run: RunOptions,
  assistant: Assistant,
  {
    settings,
    modelInfo,
  }: { readonly settings: Settings; readonly modelInfo: (id: string) => Promise<ModelInfo | null> },
): Promise<RunOptions> {
  const { name, mode, tools, model } = assistant;
  if (tools === 'off' && (run.mode === 'plan' || run.mode === 'work')) {
    throw new AppError('bad-input', `The assistant "${name}" has no tools, so it can only answer.`, {
      hint: 'Ask a question, or choose another assistant.',
    });
  }
  const taken = run.mode ?? mode;
  const moded: RunOptions = { ...run, ...(taken === undefined ? {} : { mode: taken }) };
  // A model named for this run comes before the assistant's.
  if (model === undefined || run.local !== undefined || run.cloud !== undefined) return moded;
  const info = await modelInfo(model);
  if (info === null) {
    throw new AppError('missing-model', `The model ${model} of the assistant "${name}" is not available.`, {
      hint: `${howToGet(model)}, or choose another model.`,
    });
  }
  const policy = run.policy ?? settings.policy;
  if (info.where === 'local' && policy === 'cloud') throw misplaced(name, model, 'runs on this machine');
  if (info.where === 'cloud' && policy === 'local') throw misplaced(name, model, 'runs in the cloud');
  return { ...moded, [info.where]: model };
}

function misplaced(name: string, model: string, where: string): AppError {
  return new AppError(
    'refused',
    `The assistant "${name}" uses ${model}, which ${where}. Your policy does not allow that.`,
    {
      hint: 'Choose another policy, or name the model yourself.',
    },
  );
}
