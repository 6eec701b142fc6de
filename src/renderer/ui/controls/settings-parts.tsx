import type { ReactNode } from 'react';
import { createContext, use, useEffect, useId, useRef, useState } from 'react';
import { SettingsSearch, useIsSectionFound, useIsSettingFound } from '../../lib/input/settings-search.ts';
import { Fold } from '../layout/fold.tsx';
import { InputField } from './field.tsx';
import { Select } from './select.tsx';

/** Whether the settings in this part of the page can only be read, because the host of the page refuses changes. */
export const AreSettingsViewOnly = createContext(false);

interface GroupProps {
  readonly title: string;
  /** The user came for this section: it is scrolled to and has the focus. */
  readonly isWanted?: boolean;
  readonly children: ReactNode;
}

export function Group({ title, isWanted = false, children }: GroupProps) {
  const place = useRef<HTMLElement>(null);
  const isFound = useIsSectionFound(title);
  useEffect(() => {
    if (isWanted) place.current?.focus();
  }, [isWanted]);
  return (
    <section ref={place} tabIndex={-1} aria-label={title} hidden={!isFound} className="flex scroll-mt-4 flex-col gap-3">
      <h2 className="border-b border-line pb-1.5 text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface AdvancedProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** Settings that few users change. Folded, but open during a search. */
export function Advanced({ label, children }: AdvancedProps) {
  const isSearching = use(SettingsSearch).text !== '';
  return (
    <Fold key={String(isSearching)} label={label} className="text-sm" isOpen={isSearching}>
      <div className="flex flex-col gap-3 pt-3">{children}</div>
    </Fold>
  );
}

interface RowProps {
  readonly id: string;
  readonly label: string;
  /** When to change it. */
  readonly hint: string | undefined;
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}

/** The name of a setting and when to change it, beside its control. */
function Row({ id, label, hint, isStacked = false, children }: RowProps) {
  const isFound = useIsSettingFound(label, hint);
  return (
    <div
      hidden={!isFound}
      className={`flex items-start justify-between gap-x-6 ${isStacked ? 'max-sm:flex-col max-sm:items-stretch max-sm:gap-y-1' : ''}`}
    >
      <div className="min-w-0 pt-1">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-soft">
            {hint}
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

const controlClass = 'h-8 rounded-md border border-line-strong bg-raised px-2 text-sm';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly options: readonly { readonly value: Value; readonly text: string }[];
  readonly isDisabled?: boolean;
  readonly onChange: (value: Value) => void;
}

export function Choice<Value extends string>({
  label,
  hint,
  value,
  options,
  isDisabled = false,
  onChange,
}: ChoiceProps<Value>) {
  const id = useId();
  const isViewOnly = use(AreSettingsViewOnly);
  return (
    <Row id={id} label={label} hint={hint} isStacked>
      <Select
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        disabled={isDisabled || isViewOnly}
        className="w-84 max-w-full shrink-0 max-sm:w-full"
        onChange={({ target }) => {
          const option = options.find((one) => one.value === target.value);
          if (option !== undefined) onChange(option.value);
        }}
      >
        {/* A value that is not offered is shown as it is, instead of the first option. */}
        {options.every((option) => option.value !== value) && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </Select>
    </Row>
  );
}

interface NumberSettingProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: number | null;
  readonly onSave: (value: number) => void;
  /** Called when the field was emptied. Without this, the old value comes back. */
  readonly onClear?: () => void;
}

/** Saved on Enter or when the field loses the focus. Text that is no number is replaced by the old value. */
export function NumberSetting({ label, hint, value, onSave, onClear }: NumberSettingProps) {
  const id = useId();
  const isViewOnly = use(AreSettingsViewOnly);
  const [typed, setTyped] = useState<string | null>(null);
  const save = (): void => {
    const number = Number(typed);
    if (typed?.trim() === '' && value !== null) onClear?.();
    if (typed !== null && typed.trim() !== '' && Number.isFinite(number) && number !== value) onSave(number);
    setTyped(null);
  };
  return (
    <Row id={id} label={label} hint={hint}>
      <input
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        type="number"
        disabled={isViewOnly}
        value={typed ?? value ?? ''}
        className={`${controlClass} w-32 shrink-0 text-right tabular-nums disabled:opacity-60`}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
        }}
      />
    </Row>
  );
}

interface TextSettingProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string | null;
  readonly placeholder: string;
  /** Null: the field was emptied. */
  readonly onSave: (value: string | null) => void;
}

/** A line of code (an address, a path). Saved on Enter or when the field loses the focus. */
export function TextSetting({ label, hint, value, placeholder, onSave }: TextSettingProps) {
  const isFound = useIsSettingFound(label, hint);
  const isViewOnly = use(AreSettingsViewOnly);
  const [typed, setTyped] = useState<string | null>(null);
  const save = (): void => {
    const text = typed?.trim() ?? '';
    if (typed !== null && text !== (value ?? '')) onSave(text === '' ? null : text);
    setTyped(null);
  };
  if (!isFound) return null;
  return (
    <InputField
      label={label}
      hint={hint}
      disabled={isViewOnly}
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
