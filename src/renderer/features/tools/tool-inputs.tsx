import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { inputClass } from '../../ui/controls/field.tsx';
import type { ToolInput } from './tool-draft.ts';
import { inputKinds, newInput, withKind } from './tool-draft.ts';
import { Select } from '../../ui/controls/select.tsx';

interface ToolInputsProps {
  readonly inputs: readonly ToolInput[];
  readonly isDisabled: boolean;
  readonly onChange: (inputs: readonly ToolInput[]) => void;
}

/** The arguments of a tool, one per row. Anything that a row has no field for stays as the code has it. */
export function ToolInputs({ inputs, isDisabled, onChange }: ToolInputsProps) {
  return (
    <fieldset disabled={isDisabled} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-semibold text-soft">{t('toolEdit.inputs')}</legend>
      {inputs.length === 0 && <p className="text-sm text-soft">{t('toolEdit.inputs.none')}</p>}
      {inputs.length > 0 && (
        <ul className="flex flex-col gap-3">
          {inputs.map((input, at) => (
            <InputRow
              key={input.id}
              input={input}
              at={at + 1}
              onChange={(next) => onChange(inputs.map((one) => (one.id === input.id ? next : one)))}
              onRemove={() => onChange(inputs.filter((one) => one.id !== input.id))}
            />
          ))}
        </ul>
      )}
      <Button size="small" className="w-fit" onClick={() => onChange([...inputs, newInput(inputs)])}>
        {t('toolEdit.inputs.add')}
      </Button>
    </fieldset>
  );
}

interface InputRowProps {
  readonly input: ToolInput;
  readonly at: number;
  readonly onChange: (input: ToolInput) => void;
  readonly onRemove: () => void;
}

function InputRow({ input, at, onChange, onRemove }: InputRowProps) {
  const { name, kind, about, isRequired } = input;
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-2 sm:grid-cols-[8rem_9rem_1fr_auto_auto]">
      <input
        aria-label={t('toolEdit.input.name', { at })}
        placeholder={t('toolEdit.input.namePlace')}
        value={name}
        spellCheck={false}
        autoComplete="off"
        className={`${inputClass} h-8 font-mono text-xs`}
        onChange={({ target }) => onChange({ ...input, name: target.value })}
      />
      <Select
        aria-label={t('toolEdit.input.kind', { at })}
        value={kind}

        onChange={({ target }) => onChange(withKind(input, target.value))}
      >
        {kind === '' && <option value="">{t('toolEdit.kind.mixed')}</option>}
        {inputKinds.map((one) => (
          <option key={one} value={one}>
            {t(`toolEdit.kind.${one}`)}
          </option>
        ))}
      </Select>
      <input
        aria-label={t('toolEdit.input.about', { at })}
        placeholder={t('toolEdit.input.aboutPlace')}
        value={about}
        className={`${inputClass} h-8 max-sm:col-span-2`}
        onChange={({ target }) => onChange({ ...input, about: target.value })}
      />
      <label className="flex items-center gap-1.5 text-sm">
        <input
          type="checkbox"
          checked={isRequired}
          onChange={({ target }) => onChange({ ...input, isRequired: target.checked })}
        />
        {t('toolEdit.input.required')}
      </label>
      <Button size="small" look="quiet" aria-label={t('toolEdit.input.removeOne', { at })} onClick={onRemove}>
        {t('toolEdit.input.remove')}
      </Button>
    </li>
  );
}
