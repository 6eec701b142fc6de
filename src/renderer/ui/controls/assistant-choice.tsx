import type { Assistant } from '@shared/session/assistants.ts';
import { assistantFacts } from '@shared/session/assistants.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { IconButton } from './icon-button.tsx';
import { QuietSelect } from './select.tsx';
import { t } from '../../lib/text/translate.ts';

interface AssistantChoiceProps {
  readonly assistants: readonly Assistant[];
  /** Null: none. */
  readonly chosen: Assistant | null;
  readonly onChange: (name: string | null) => void;
}

/** The assistant for the message. Empty when there are none to choose from. */
export function AssistantChoice({ assistants, chosen, onChange }: AssistantChoiceProps) {
  const navigate = useNavigate();
  if (assistants.length === 0) return null;
  const about =
    chosen === null
      ? t('assistant.about')
      : [seenWords(chosen.about ?? ''), ...assistantFacts(chosen).map(seenName), seenWords(chosen.text).slice(0, 300)]
          .filter((line) => line !== '')
          .join('\n');
  return (
    <span className="inline-flex min-w-7 shrink-2 items-center">
      <QuietSelect
        icon="person"
        text={chosen?.name ?? ''}
        aria-label={t('assistant.label')}
        title={about}
        value={chosen?.name ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      >
        {/* Without one, the mark alone stands for it. */}
        <option value="" hidden={chosen === null}>
          {chosen === null ? '' : t('assistant.none')}
        </option>
        {assistants.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </QuietSelect>
      {chosen !== null && (
        <IconButton icon="edit" label={t('assistant.edit')} onClick={() => navigate({ type: 'assistants' })} />
      )}
    </span>
  );
}
