import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';

interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid'?: true;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The problem with the current value; null: none. */
  readonly problem?: string | null;
  /** Renders the control with the ids of its label and hint. */
  readonly children: (ids: FieldIds) => ReactNode;
  readonly className?: string;
}

export const inputClass =
  'w-full rounded-md border border-line-strong bg-raised px-2.5 py-1.5 text-sm text-ink disabled:opacity-60 aria-invalid:border-bad';

/** A control with its label above and a hint below. */
export function Field({ label, hint, problem = null, children, className = '' }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const about = [...(problem === null ? [] : [problemId]), ...(hint === undefined ? [] : [hintId])].join(' ');
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="text-sm font-semibold text-soft">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': about === '' ? undefined : about,
        ...(problem === null ? {} : { 'aria-invalid': true }),
      })}
      {problem !== null && (
        <p id={problemId} role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

interface InputFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | null;
  /** Words, such as a name. Without it, the text is code. */
  readonly isProse?: boolean;
  readonly onText: (text: string) => void;
}

/** One line of text or a number, with its label and hint. */
export function InputField({
  label,
  hint,
  problem = null,
  isProse = false,
  onText,
  className,
  ...input
}: InputFieldProps) {
  const look = isProse ? `${inputClass} h-8` : inputLook(input.type);
  return (
    <Field
      label={label}
      problem={problem}
      {...(hint === undefined ? {} : { hint })}
      {...(className === undefined ? {} : { className })}
    >
      {(ids) => <input {...input} {...ids} onChange={(event) => onText(event.target.value)} className={look} />}
    </Field>
  );
}

/** After saving, the button is disabled and would lose the focus: it goes back to the first field of the form. */
export function focusField(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('input, textarea')?.focus();
}

/** Text in these fields is code: paths, commands, names of models. */
function inputLook(type: string | undefined): string {
  return type === 'number' ? `${inputClass} h-8` : `${inputClass} h-8 font-mono text-xs`;
}
