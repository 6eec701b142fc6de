import type { ApprovalState } from '@shared/session/session-state.ts';
import { hasDeceptivePiece, seenLines, seenPieces, seenWords } from '@shared/text/seen-text.ts';
import type { FormField, FormValues } from '@shared/tools/server-form.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenText } from '../../ui/content/seen-text.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';

interface AskedLineProps {
  readonly approval: ApprovalState;
  readonly values: FormValues;
  readonly onValues: (values: FormValues) => void;
}

/** A line that the agent proposes for later tasks. The user can edit it, and choose where it counts. */
export default function AskedLine({ approval, values, onValues }: AskedLineProps) {
  const { text = '', reason = '', form = [] } = approval;
  const isRefused = useIsCommandRefused('memory.add');
  const pieces = seenPieces(text);
  return (
    <>
      <SeenText pieces={pieces} />
      {hasDeceptivePiece(pieces) && <p className="text-sm text-warn">{t('approval.strange')}</p>}
      <p className="text-sm whitespace-pre-line text-soft">{seenLines(reason)}</p>
      {isRefused && <p className="text-sm text-warn">{t('approval.line-refused')}</p>}
      {!isRefused &&
        form.map((field) => (
          <Part
            key={field.name}
            field={field}
            value={values[field.name]}
            onValue={(value) => onValues({ ...values, [field.name]: value })}
          />
        ))}
    </>
  );
}

interface PartProps {
  readonly field: FormField;
  readonly value: FormValues[string] | undefined;
  readonly onValue: (value: string) => void;
}

function Part({ field, value, onValue }: PartProps) {
  const shown = typeof value === 'string' ? value : '';
  if (field.type !== 'text' && field.type !== 'one-of') return null;
  return (
    <Field label={t(field.type === 'text' ? 'approval.line-edit' : 'approval.line-for')}>
      {(ids) =>
        field.type === 'text' ? (
          <textarea
            {...ids}
            rows={2}
            maxLength={field.most ?? undefined}
            value={shown}
            onChange={(event) => onValue(event.target.value)}
            className={`${inputClass} resize-y`}
          />
        ) : (
          <Select {...ids} value={shown} onChange={(event) => onValue(event.target.value)}>
            {field.choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {seenWords(choice.title)}
              </option>
            ))}
          </Select>
        )
      }
    </Field>
  );
}
