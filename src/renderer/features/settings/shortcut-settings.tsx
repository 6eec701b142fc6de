import { useState } from 'react';
import type { Action } from '../../lib/input/actions.ts';
import { keysText, pressedKeys } from '../../lib/input/actions.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useShortcuts } from '../../lib/input/use-shortcuts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';

interface ShortcutSettingsProps {
  readonly actions: readonly Action[];
  readonly isWanted: boolean;
}

/** Every action with its shortcut, which the user can change. No two actions share one. */
export function ShortcutSettings({ actions, isWanted }: ShortcutSettingsProps) {
  const [own, setOwn] = useShortcuts();
  const [asking, setAsking] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const set = (action: Action, keys: string): void => {
    const taken = actions.find((other) => other.id !== action.id && other.keys === keys);
    if (taken !== undefined) {
      setProblem(t('shortcuts.taken', { keys: keysText(keys), action: taken.label }));
      return;
    }
    setProblem(null);
    setAsking(null);
    setOwn({ ...own, [action.id]: keys });
  };
  const reset = (ids: readonly string[]): void => {
    setOwn(Object.fromEntries(Object.entries(own).filter(([one]) => !ids.includes(one))));
    offerUndo(t('shortcuts.wereReset'), async () => setOwn(own));
  };
  return (
    <Group title={t('settings.shortcuts')} isWanted={isWanted}>
      <p className="text-sm text-soft">{t('shortcuts.text')}</p>
      {problem !== null && <Notice kind="warning">{problem}</Notice>}
      {sameKeys(actions).map(({ keys, labels }) => (
        <Notice key={keys} kind="warning">
          {t('shortcuts.same', { keys: keysText(keys), actions: labels.join(', ') })}
        </Notice>
      ))}
      <ul className="flex flex-col gap-1 text-sm">
        {actions.map((action) => (
          <Shortcut
            key={action.id}
            action={action}
            isOwn={Object.hasOwn(own, action.id)}
            isAsking={asking === action.id}
            onAsk={(isAsking) => {
              setProblem(null);
              setAsking(isAsking ? action.id : null);
            }}
            onKeys={(keys) => set(action, keys)}
            onReset={() => reset([action.id])}
          />
        ))}
      </ul>
      {Object.keys(own).length > 0 && (
        <Button size="small" className="w-fit" onClick={() => reset(Object.keys(own))}>
          {t('shortcuts.resetAll')}
        </Button>
      )}
    </Group>
  );
}

/**
 * Shortcuts that several actions share, which is possible only in a settings file edited by hand. The first action
 * wins.
 */
function sameKeys(
  actions: readonly Action[],
): readonly { readonly keys: string; readonly labels: readonly string[] }[] {
  const byKeys = new Map<string, string[]>();
  for (const { keys, label } of actions) if (keys !== undefined) byKeys.set(keys, [...(byKeys.get(keys) ?? []), label]);
  return [...byKeys].flatMap(([keys, labels]) => (labels.length > 1 ? [{ keys, labels }] : []));
}

interface ShortcutProps {
  readonly action: Action;
  /** Whether the shortcut differs from the default. */
  readonly isOwn: boolean;
  readonly isAsking: boolean;
  readonly onAsk: (isAsking: boolean) => void;
  readonly onKeys: (keys: string) => void;
  readonly onReset: () => void;
}

function Shortcut({ action, isOwn, isAsking, onAsk, onKeys, onReset }: ShortcutProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1">{action.label}</span>
      {isOwn && (
        <Button
          size="small"
          look="quiet"
          aria-label={t('shortcuts.resetOne', { action: action.label })}
          onClick={() => onReset()}
        >
          {t('shortcuts.reset')}
        </Button>
      )}
      <Button
        size="small"
        aria-label={
          isAsking
            ? t('shortcuts.pressFor', { action: action.label })
            : t('shortcuts.change', { action: action.label, keys: shown(action) })
        }
        aria-pressed={isAsking}
        onClick={() => onAsk(!isAsking)}
        onKeyDown={(event) => {
          if (!isAsking) return;
          if (event.key === 'Escape') return onAsk(false);
          const keys = pressedKeys(event.nativeEvent);
          if (keys === null || keys.endsWith('+Control') || keys.endsWith('+Meta') || keys.endsWith('+Shift')) return;
          event.preventDefault();
          event.stopPropagation();
          onKeys(keys);
        }}
      >
        {isAsking ? t('shortcuts.press') : shown(action)}
      </Button>
    </li>
  );
}

function shown({ keys }: Action): string {
  return keys === undefined ? t('shortcuts.none') : keysText(keys);
}
