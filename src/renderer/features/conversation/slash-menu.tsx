import type { SlashCommand } from '../../lib/slash-commands.ts';
import { t } from '../../lib/texts.ts';

export const slashListId = 'slash-commands';

interface SlashMenuProps {
  readonly commands: readonly SlashCommand[];
  readonly selected: number;
  readonly onChoose: (command: SlashCommand) => void;
}

export function SlashMenu({ commands, selected, onChoose }: SlashMenuProps) {
  return (
    <div
      id={slashListId}
      // Not a select: it belongs to a field that keeps the focus.
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="listbox"
      aria-label={t('slash.label')}
      className={`absolute inset-x-5 bottom-full mb-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float ${commands.length === 0 ? 'hidden' : ''}`}
    >
      {commands.map((command, index) => (
        <div
          key={command.name}
          id={`${slashListId}-${index}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          // The field keeps the focus, and with it the keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(command)}
          onKeyDown={() => undefined}
          className="flex items-baseline gap-2 rounded-md px-2 py-1 text-sm hover:bg-chosen aria-selected:bg-chosen"
        >
          <span className="font-mono text-xs">
            /{command.name} <span className="text-soft">{command.argument}</span>
          </span>
          <span className="text-xs text-soft">{t(command.about)}</span>
        </div>
      ))}
    </div>
  );
}
