import type { ApprovalState } from '@shared/session/session-state.ts';
import { seenPieces, seenWords } from '@shared/text/seen-text.ts';
import type { FormField, FormValue, FormValues } from '@shared/tools/server-form.ts';
import { t } from '../../lib/text/translate.ts';
import { AttachmentList } from '../../ui/content/attachment-list.tsx';
import { SeenText } from '../../ui/content/seen-text.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';

interface AskedByServerProps {
  readonly approval: ApprovalState;
  readonly values: FormValues;
  readonly onValues: (values: FormValues) => void;
}

/**
 * A question from a tool server. All its words are marked as the server's. An address is shown in full and is no link.
 */
export default function AskedByServer({ approval, values, onValues }: AskedByServerProps) {
  const { subject, text = '', reason = '', url, form, pictures = [] } = approval;
  const change = (name: string, value: FormValue | null): void => {
    const { [name]: _before, ...others } = values;
    onValues(value === null ? others : { ...others, [name]: value });
  };
  return (
    <>
      <SeenText pieces={seenPieces(subject)} />
      <p className="text-sm text-soft">{t('approval.server-says')}</p>
      <SeenText pieces={seenPieces(text)} />
      <AttachmentList attachments={pictures} />
      {url !== undefined && (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <SeenText pieces={seenPieces(url)} />
          </div>
          <CopyButton text={url} label={t('approval.copy-address')} />
        </div>
      )}
      {form !== undefined && (
        <div className="flex max-h-[min(20rem,30vh)] flex-col gap-2.5 overflow-y-auto pr-1">
          {form.map((field) => (
            <FormControl
              key={field.name}
              field={field}
              value={values[field.name]}
              onValue={(value) => change(field.name, value)}
            />
          ))}
        </div>
      )}
      <p className="text-sm text-soft">{seenWords(reason)}</p>
      {form !== undefined && <p className="text-sm text-warn">{t('approval.no-secrets')}</p>}
    </>
  );
}

interface ControlProps<One extends FormField = FormField> {
  readonly field: One;
  readonly value: FormValue | undefined;
  /** Null: the field is left out. */
  readonly onValue: (value: FormValue | null) => void;
}

function FormControl({ field, value, onValue }: ControlProps) {
  const { title, description, isRequired } = field;
  const label = isRequired ? seenWords(title) : t('approval.optional', { title: seenWords(title) });
  const hint = description === '' || description === title ? {} : { hint: seenWords(description) };
  if (field.type === 'some-of') return <SomeOf field={field} value={value} onValue={onValue} label={label} />;
  return (
    <Field label={label} {...hint}>
      {(ids) => (
        <>
          {field.type === 'yes-no' && <YesNo ids={ids} value={value} onValue={onValue} />}
          {field.type === 'one-of' && <OneOf ids={ids} field={field} value={value} onValue={onValue} />}
          {(field.type === 'text' || field.type === 'number') && (
            <Typed ids={ids} field={field} value={value} onValue={onValue} />
          )}
        </>
      )}
    </Field>
  );
}

interface Ids {
  readonly ids: { readonly id: string; readonly 'aria-describedby': string | undefined };
}

/** Never a password field: the input goes to a third party, and stays visible while the user types. */
function Typed({ ids, field, value, onValue }: ControlProps<Extract<FormField, { type: 'text' | 'number' }>> & Ids) {
  const read = (typed: string): FormValue | null => {
    if (typed === '') return null;
    return field.type === 'number' && Number.isFinite(Number(typed)) ? Number(typed) : typed;
  };
  return (
    <input
      {...ids}
      type="text"
      inputMode={field.type === 'number' ? 'decimal' : 'text'}
      autoComplete="off"
      defaultValue={value === undefined ? '' : String(value)}
      onChange={(event) => onValue(read(event.target.value))}
      className={`${inputClass} h-8`}
    />
  );
}

function YesNo({ ids, value, onValue }: Omit<ControlProps, 'field'> & Ids) {
  const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : '';
  return (
    <Select
      {...ids}
      value={shown}
      onChange={(event) => onValue(event.target.value === '' ? null : event.target.value === 'yes')}
    >
      <option value="">{t('approval.choose')}</option>
      <option value="yes">{t('approval.yes')}</option>
      <option value="no">{t('approval.no')}</option>
    </Select>
  );
}

function OneOf({ ids, field, value, onValue }: ControlProps<Extract<FormField, { type: 'one-of' }>> & Ids) {
  return (
    <Select
      {...ids}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onValue(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{t('approval.choose')}</option>
      {field.choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {seenWords(choice.title)}
        </option>
      ))}
    </Select>
  );
}

function SomeOf({
  field,
  value,
  onValue,
  label,
}: ControlProps<Extract<FormField, { type: 'some-of' }>> & { readonly label: string }) {
  const chosen = Array.isArray(value) ? value : [];
  const change = (one: string, isChosen: boolean): void => {
    const others = chosen.filter((other) => other !== one);
    const next = isChosen ? [...others, one] : others;
    onValue(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-semibold text-soft">{label}</legend>
      {field.description !== '' && <p className="text-sm text-soft">{seenWords(field.description)}</p>}
      {field.choices.map((choice) => (
        <label key={choice.value} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={(event) => change(choice.value, event.target.checked)}
          />
          {seenWords(choice.title)}
        </label>
      ))}
    </fieldset>
  );
}
