import type { KeyEntry } from '@shared/contract/keys-contract.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { Policy } from './routing-policies.ts';

/** The chosen models as options of a message. */
export interface PickedOptions extends Omit<ChosenOptions, 'mode' | 'assistant' | 'policy'> {
  readonly policy?: Policy;
}

/** The user's choice of models for a message. An empty one means the settings. Another model clears its thinking. */
export interface ModelPick extends Omit<PickedOptions, 'policy'> {
  readonly policy: Policy | null;
}

/** The models that apply without a choice. */
export interface UsualModels {
  readonly policy: Policy;
  readonly local: string;
  readonly cloud: string | null;
  /** The models that the router tries, in their order, if it may use all of them. */
  readonly order: readonly string[];
}

/** One line of the picker. */
export type ModelOption =
  | { readonly type: 'auto'; readonly key: string; readonly policy: 'hybrid' | 'economy' | 'balanced' | 'quality' }
  | {
      readonly type: 'model';
      readonly key: string;
      /** Its name in the list. */
      readonly name: string;
      readonly model: ModelEntry;
      readonly state: ModelEntry['state'] | 'no-key';
    }
  /** No cloud model is ready, so the line leads to setting one up. */
  | { readonly type: 'add-cloud'; readonly key: 'add-cloud' };

export interface ModelGroup {
  readonly name: 'auto' | 'favorites' | 'local' | 'cloud';
  readonly options: readonly ModelOption[];
}

interface Offered {
  readonly models: readonly ModelEntry[];
  readonly keys: readonly KeyEntry[];
  readonly favorites: readonly string[];
}

const profiles = ['economy', 'balanced', 'quality'] as const;

/**
 * The lines of the picker that match what is typed: first the router, then starred models, then the others by place.
 */
export function modelGroups({ models, keys, favorites }: Offered, typed: string): readonly ModelGroup[] {
  const options = models.map((model) => ({
    type: 'model' as const,
    key: model.id,
    name: modelName(model, models),
    model,
    state: lacksKey(model, keys) ? ('no-key' as const) : model.state,
  }));
  const isStarred = ({ key }: { readonly key: string }): boolean => favorites.includes(key);
  const of = (where: 'local' | 'cloud') =>
    options.filter((option) => option.model.where === where && !isStarred(option)).sort(bySetUp);
  const canCloud = options.some(({ model, state }) => model.where === 'cloud' && state === 'ready');
  const auto = (['hybrid', ...(canCloud ? profiles : [])] as const).map((policy) => ({
    type: 'auto' as const,
    key: `auto:${policy}`,
    policy,
  }));
  const groups: readonly ModelGroup[] = [
    { name: 'auto', options: auto },
    { name: 'favorites', options: options.filter(isStarred) },
    { name: 'local', options: of('local') },
    {
      name: 'cloud',
      options: [...of('cloud'), ...(canCloud ? [] : [{ type: 'add-cloud', key: 'add-cloud' } as const])],
    },
  ];
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  return groups
    .map(({ name, options: all }) => ({ name, options: all.filter((option) => fits(option, words)) }))
    .filter(({ options: left }) => left.length > 0);
}

/** The name that people know it by, with its provider if two have the same name. */
export function modelName({ id, label }: ModelEntry, models: readonly ModelEntry[]): string {
  const isShared = models.some((other) => other.id !== id && other.label === label);
  return isShared ? `${label} (${id.split('/')[0] ?? ''})` : label;
}

/** Whether a service's key is missing. A server that needs no key has no variable for one. */
function lacksKey({ id, where }: ModelEntry, keys: readonly KeyEntry[]): boolean {
  if (where === 'local') return false;
  const key = keys.find(({ provider }) => provider === id.split('/')[0]);
  return key !== undefined && key.source === null && key.variable !== null;
}

const order = { ready: 0, 'no-key': 1, downloadable: 2, unreachable: 3 } as const;

function bySetUp(
  left: Extract<ModelOption, { type: 'model' }>,
  right: Extract<ModelOption, { type: 'model' }>,
): number {
  return order[left.state] - order[right.state];
}

function fits(option: ModelOption, words: readonly string[]): boolean {
  const name =
    option.type === 'model' ? `${option.model.label} ${option.key}` : option.type === 'auto' ? option.key : 'cloud key';
  return words.every((word) => name.toLowerCase().includes(word));
}

/** Where a pick sends a message: to the router, or to one model. */
export type PickedModel =
  | { readonly type: 'auto'; readonly policy: 'hybrid' | 'economy' | 'balanced' | 'quality' }
  | { readonly type: 'model'; readonly where: 'local' | 'cloud'; readonly id: string | null };

export function pickedModel(pick: ModelPick, usual: UsualModels): PickedModel {
  const policy = pick.policy ?? usual.policy;
  if (policy === 'local') return { type: 'model', where: 'local', id: pick.local ?? usual.local };
  if (policy === 'cloud') return { type: 'model', where: 'cloud', id: pick.cloud ?? usual.cloud };
  return { type: 'auto', policy };
}

export function isPicked(option: ModelOption, picked: PickedModel): boolean {
  if (option.type === 'auto') return picked.type === 'auto' && picked.policy === option.policy;
  return option.type === 'model' && picked.type === 'model' && picked.id === option.key;
}

/** The pick for a line. The default model gives an empty pick, so that it goes on following the settings. */
export function pickOf(option: Exclude<ModelOption, { type: 'add-cloud' }>, usual: UsualModels): ModelPick {
  if (isPicked(option, pickedModel({ policy: null }, usual))) return { policy: null };
  if (option.type === 'auto') return { policy: option.policy };
  const { id, where } = option.model;
  return where === 'local' ? { policy: 'local', local: id } : { policy: 'cloud', cloud: id };
}

export function optionsOfPick({ policy, ...models }: ModelPick): PickedOptions {
  return policy === null ? models : { ...models, policy };
}
