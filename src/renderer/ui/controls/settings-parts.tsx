import type { ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { InputField } from './field.tsx';

interface GroupProps {
  readonly title: string;
  /** A person came for this one: it is scrolled to and has the focus. */
  readonly isWanted?: boolean;
  readonly children: ReactNode;
}

export function Group({ title, isWanted = false, children }: GroupProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) place.current?.focus();
  }, [isWanted]);
  return (
    <section ref={place} tabIndex={-1} aria-label={title} className="flex flex-col gap-3">
      <h2 className="border-b border-line pb-1.5 text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

export const controlClass = 'h-8 rounded-md border border-line-strong bg-raised px-2 text-sm';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly isDisabled?: boolean;
  readonly onChange: (value: Value) => void;
}

export function Choice<Value extends string>({
  label,
  value,
  options,
  isDisabled = false,
  onChange,
}: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-x-6 max-sm:flex-col max-sm:items-stretch max-sm:gap-y-1">
      <label htmlFor={id} className="min-w-0">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        className={`${controlClass} w-96 max-w-full truncate disabled:opacity-60 max-sm:w-full`}
        onChange={({ target }) => {
          const option = options.find((one) => one.value === target.value);
          if (option !== undefined) onChange(option.value);
        }}
      >
        {/* A value that is not offered is shown as it is, not as the first that is. */}
        {options.every((option) => option.value !== value) && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface NumberSettingProps {
  readonly label: string;
  readonly value: number | null;
  readonly onSave: (value: number) => void;
  /** It was emptied; without this, that puts the old value back. */
  readonly onClear?: () => void;
}

/** Saved when it is left or Enter is pressed. What is no number is put back. */
export function NumberSetting({ label, value, onSave, onClear }: NumberSettingProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const save = (): void => {
    const number = Number(typed);
    if (typed?.trim() === '' && value !== null) onClear?.();
    if (typed !== null && typed.trim() !== '' && Number.isFinite(number) && number !== value) onSave(number);
    setTyped(null);
  };
  return (
    <div className="flex items-center justify-between gap-x-6">
      <label htmlFor={id} className="min-w-0">
        {label}
      </label>
      <input
        id={id}
        type="number"
        value={typed ?? value ?? ''}
        className={`${controlClass} w-32 shrink-0 text-right tabular-nums`}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
        }}
      />
    </div>
  );
}

interface TextSettingProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string | null;
  readonly placeholder: string;
  /** Null: it was emptied. */
  readonly onSave: (value: string | null) => void;
}

/** A line of code (an address, a path), saved when it is left or Enter is pressed. */
export function TextSetting({ label, hint, value, placeholder, onSave }: TextSettingProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const save = (): void => {
    const text = typed?.trim() ?? '';
    if (typed !== null && text !== (value ?? '')) onSave(text === '' ? null : text);
    setTyped(null);
  };
  return (
    <InputField
      label={label}
      hint={hint}
      value={typed ?? value ?? ''}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
      onText={setTyped}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
      }}
    />
  );
}
