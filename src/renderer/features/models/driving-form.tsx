import { useQueryClient, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useDeferredValue, useState } from 'react';
import { seenWords } from '@shared/text/seen-text.ts';
import { announce } from '../../lib/notices/announce.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useMemoryPlan } from '../../lib/models/use-memory-plan.ts';
import { bytes, tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { stepName } from '../../ui/model-picker/thinking-choice.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { Select } from '../../ui/controls/select.tsx';

/** The user's settings for driving a model, with the names from `models set`. */
export const drivingNames = [
  'calls',
  'strategies',
  'toolBudget',
  'promptForm',
  'edits',
  'temperature',
  'topP',
  'contextTokens',
  'thinking',
  'systemText',
] as const;
export type DrivingName = (typeof drivingNames)[number];

/** The values as typed. Absent: as its probe found. Strategies are separated by commas. */
export type DrivingOverrides = Readonly<Partial<Record<DrivingName, string>>>;

/** The user's settings for a model; null while they are loading. */
export function useDrivingOverrides(model: string): DrivingOverrides | null {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['settings', 'models'],
    queryFn: ({ signal }) => client.settings.get({ key: 'models' }, { signal }),
  });
  return data === undefined ? null : drivingOf(fieldOf(data, model));
}

function drivingOf(value: unknown): DrivingOverrides {
  return Object.fromEntries(
    drivingNames.flatMap((name) => {
      const entry = fieldOf(value, name);
      if (Array.isArray(entry)) return [[name, entry.join(',')]];
      return typeof entry === 'string' || typeof entry === 'number' ? [[name, String(entry)]] : [];
    }),
  );
}

/** The possible values, with their texts. Other settings are typed. */
const choices = {
  calls: {
    native: 'driving.calls.native',
    grammar: 'driving.calls.grammar',
    schema: 'driving.calls.schema',
    text: 'driving.calls.text',
  },
  strategies: {
    recipe: 'driving.strategies.recipe',
    loop: 'driving.strategies.loop',
    'recipe,loop': 'driving.strategies.recipeLoop',
    'loop,recipe': 'driving.strategies.loopRecipe',
  },
  promptForm: { short: 'driving.promptForm.short', full: 'driving.promptForm.full' },
  edits: { 'search-replace': 'driving.edits.quote', 'whole-file': 'driving.edits.whole' },
} as const;

const numbers = {
  toolBudget: { min: 2, step: 1 },
  temperature: { min: 0, max: 2, step: 'any' },
  topP: { min: 0, max: 1, step: 'any' },
  contextTokens: { min: 1024, step: 1 },
} as const;

/** How the user wants a model driven. Each entry overrides what its probe found. */
export function DrivingForm({ model }: { readonly model: ModelEntry }) {
  const isRefused = useIsCommandRefused('settings.set');
  const own = useDrivingOverrides(model.id);
  const [isOpen, setIsOpen] = useState(false);
  const change = useDrivingChange(model.id, () => setIsOpen(false));
  if (own === null) return null;
  const set = drivingNames.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [`${t(`driving.${name}`)}: ${shortened(value)}`];
  });
  if (isOpen) return <Entries model={model} own={own} onSave={change} onCancel={() => setIsOpen(false)} />;
  return (
    <div
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft ${set.length === 0 ? '' : 'w-full'}`}
    >
      {set.length > 0 && (
        <p className="min-w-0 flex-1 basis-60 wrap-anywhere">{t('driving.own', { entries: set.join(' · ') })}</p>
      )}
      {!isRefused && (
        <Button
          size="small"
          look="quiet"
          className={set.length === 0 ? '-ml-2.5' : ''}
          aria-label={t('driving.of', { action: t('driving.change'), model: model.label })}
          onClick={() => setIsOpen(true)}
        >
          {t('driving.change')}
        </Button>
      )}
    </div>
  );
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

interface EntriesProps {
  readonly model: ModelEntry;
  readonly own: DrivingOverrides;
  readonly onSave: (driving: DrivingOverrides) => Promise<void>;
  readonly onCancel: () => void;
}

function Entries({ model, own, onSave, onCancel }: EntriesProps) {
  const [typed, setTyped] = useState(own);
  const type = (name: DrivingName) => (text: string) => setTyped({ ...typed, [name]: text });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    void onSave(typed);
  };
  return (
    <form
      aria-label={t('driving.of', { action: t('driving.change'), model: model.label })}
      onSubmit={save}
      className="flex w-full flex-col gap-3"
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {(['calls', 'strategies', 'promptForm', 'edits'] as const).map((name) => (
          <ChoiceField key={name} name={name} value={typed[name] ?? ''} onText={type(name)} />
        ))}
        <ThinkingField model={model} value={typed.thinking ?? ''} onText={type('thinking')} />
      </div>
      <div className="grid items-end gap-3 sm:grid-cols-3">
        {numbersOf(model).map((name) => (
          <InputField
            key={name}
            label={t(`driving.${name}`)}
            type="number"
            {...numbers[name]}
            placeholder={t('driving.usual')}
            value={typed[name] ?? ''}
            onText={type(name)}
          />
        ))}
      </div>
      {isModelFile(model) && <ContextPlan id={model.id} typed={typed.contextTokens ?? ''} />}
      <Field label={t('driving.systemText')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            maxLength={8_000}
            value={typed.systemText ?? ''}
            onChange={({ target }) => type('systemText')(target.value)}
            className={`${inputClass} resize-y`}
          />
        )}
      </Field>
      <p className="text-xs text-soft">{t('driving.text')}</p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="small">
          {t('driving.save')}
        </Button>
        <Button size="small" look="quiet" onClick={() => void onSave({})}>
          {t('driving.reset')}
        </Button>
        <Button size="small" look="quiet" onClick={onCancel}>
          {t('models.cancel')}
        </Button>
      </div>
    </form>
  );
}

/** Dewpoint plans the memory of these, so the user can ask for another context. */
const isModelFile = ({ id, state, info }: ModelEntry): boolean =>
  id.startsWith('llama-cpp/') && state === 'ready' && info?.use === undefined;

function numbersOf(model: ModelEntry): readonly (keyof typeof numbers)[] {
  return isModelFile(model)
    ? ['toolBudget', 'temperature', 'topP', 'contextTokens']
    : ['toolBudget', 'temperature', 'topP'];
}

/** How much context fits this machine, or what comes of the context that was typed. */
function ContextPlan({ id, typed }: { readonly id: string; readonly typed: string }) {
  const asked = useDeferredValue(Number(typed));
  const plan = useMemoryPlan(id, Number.isInteger(asked) && asked >= 1024 ? asked : null);
  if (plan.isPending) return <p className="text-xs text-soft">{t('models.fitLooking')}</p>;
  if (plan.error !== null) return <p className="text-xs text-soft">{failureText(plan.error)}</p>;
  const { granted, why, totalBytes, asked: planned, usual } = plan.data;
  return (
    <p className="text-xs text-soft wrap-anywhere" aria-live="polite">
      {totalBytes !== null && t('models.fitGranted', { memory: bytes(totalBytes), context: tokens(granted.context) })}{' '}
      {seenWords([granted.reason, ...granted.warnings, why ?? ''].join(' ').trim())}{' '}
      {planned === null && usual !== null && t('driving.contextUsual', { context: tokens(usual) })}
    </p>
  );
}

interface ThinkingFieldProps {
  readonly model: ModelEntry;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** Offers only the steps that this model has. */
function ThinkingField({ model, value, onText }: ThinkingFieldProps) {
  const efforts = model.info?.efforts ?? [];
  if (efforts.length < 2) return null;
  return (
    <Field label={t('driving.thinking')}>
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => onText(target.value)}>
          <option value="">{t('driving.usual')}</option>
          {efforts.map((effort) => (
            <option key={effort} value={effort}>
              {stepName(effort, efforts)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface ChoiceFieldProps {
  readonly name: keyof typeof choices;
  readonly value: string;
  readonly onText: (text: string) => void;
}

function ChoiceField({ name, value, onText }: ChoiceFieldProps) {
  return (
    <Field label={t(`driving.${name}`)}>
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => onText(target.value)}>
          <option value="">{t('driving.usual')}</option>
          {Object.entries(choices[name]).map(([choice, text]) => (
            <option key={choice} value={choice}>
              {t(text)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Without any settings, the model is driven as its probe found. */
function useDrivingChange(model: string, onDone: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const key = ['models', model];
  return async (typed: DrivingOverrides): Promise<void> => {
    const value = Object.fromEntries(
      drivingNames.flatMap((name) => {
        const text = typed[name]?.trim() ?? '';
        return text === '' ? [] : [[name, valueOf(name, text)]];
      }),
    );
    try {
      if (Object.keys(value).length === 0) await client.settings.unset({ key });
      else await client.settings.set({ key, value });
      for (const changed of ['settings', 'models']) await queries.invalidateQueries({ queryKey: [changed] });
      onDone();
    } catch (error) {
      announce({ kind: 'error', text: `${t('settings.notSaved')} ${failureText(error)}` });
    }
  };
}

function valueOf(name: DrivingName, text: string): unknown {
  if (name === 'strategies') return text.split(',');
  return name in numbers ? Number(text) : text;
}
