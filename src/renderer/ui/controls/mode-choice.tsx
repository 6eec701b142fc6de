import { useContext, useEffect } from 'react';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { keysText } from '../../lib/input/actions.ts';
import { onNextMode } from '../../lib/input/next-mode.ts';
import { ActionsContext } from '../../lib/window/navigation.ts';
import { useStableCallback } from '../../lib/drawing/use-stable-callback.ts';
import { t } from '../../lib/text/translate.ts';

interface ModeChoiceProps {
  /** Null: the words of the message decide. */
  readonly chosen: TaskMode | null;
  /** The mode that the words suggest. */
  readonly byWords: TaskMode;
  readonly onChange: (chosen: TaskMode | null) => void;
}

/** How the message will be read, before it is sent. Clicking the chosen mode lets the words decide again. */
export function ModeChoice({ chosen, byWords, onChange }: ModeChoiceProps) {
  const shown = chosen ?? byWords;
  const next = useStableCallback((): void => {
    onChange(taskModes[(taskModes.indexOf(shown) + 1) % taskModes.length] ?? null);
  });
  useEffect(() => onNextMode(next), [next]);
  const keys = useContext(ActionsContext).find(({ id }) => id === 'mode')?.keys;
  const keysPart = keys === undefined ? '' : ` (${keysText(keys)})`;
  return (
    <fieldset aria-label={t('mode.label')} className="flex shrink-0 rounded-md bg-sunken p-0.5 text-xs">
      {taskModes.map((mode) => (
        <button
          key={mode}
          type="button"
          aria-pressed={mode === shown}
          data-mode={mode}
          data-chosen={mode === chosen}
          title={`${t(`mode.${mode}.about`)}${keysPart}`}
          onClick={() => onChange(mode === chosen ? null : mode)}
          className="h-6 rounded px-2 text-soft hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink data-[chosen=true]:font-semibold"
        >
          {t(`mode.${mode}`)}
        </button>
      ))}
    </fieldset>
  );
}
