import type { FormEvent, KeyboardEvent, Ref } from 'react';
import { useImperativeHandle, useRef, useState } from 'react';
import type { SlashCommand } from '../../lib/slash-commands.ts';
import { matchingCommands } from '../../lib/slash-commands.ts';
import { submitOnEnter } from '../../lib/submit-on-enter.ts';
import { textRows } from '../../lib/text-rows.ts';
import { t } from '../../lib/texts.ts';
import { useDraft } from '../../lib/use-draft.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Policy } from '../../lib/policies.ts';
import { choosablePolicies } from '../../lib/policies.ts';
import type { ComposerProps } from './composer-types.ts';
import { slashListId, SlashMenu } from './slash-menu.tsx';
import type { ComposerState } from './use-composer.ts';
import { useComposer } from './use-composer.ts';

export interface ComposerHandle {
  readonly focus: () => void;
}

/** Where the person writes: messages, commands, and messages for an agent that works. */
export function Composer(props: ComposerProps & { readonly handle: Ref<ComposerHandle> }) {
  const { sessionId, isRunning, handle } = props;
  const [text, setText] = useDraft(sessionId);
  const area = useRef<HTMLTextAreaElement>(null);
  const composer = useComposer(props, () => setText(''));
  const menu = useSlashMenu(text, setText);
  useImperativeHandle(handle, () => ({ focus: () => area.current?.focus() }));

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && !composer.isSending) void composer.submit(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!menu.onKeyDown(event)) submitOnEnter(event);
  };
  return (
    <div className="relative mx-auto w-full max-w-3xl px-5 pt-2 pb-3">
      {composer.said !== null && (
        <Notice kind={composer.said.kind} className="mb-2">
          {composer.said.text}
        </Notice>
      )}
      <SlashMenu commands={menu.commands} selected={menu.selected} onChoose={menu.choose} />
      <form
        onSubmit={submit}
        className="rounded-xl border border-line-strong bg-raised focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-ink"
      >
        <textarea
          ref={area}
          rows={textRows(text, 1, 10)}
          aria-label={t('composer.label')}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={slashListId}
          aria-activedescendant={menu.commands.length > 0 ? `${slashListId}-${menu.selected}` : undefined}
          value={text}
          placeholder={t(isRunning ? 'composer.running' : 'composer.idle')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className="block max-h-[35vh] min-h-10 w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 [field-sizing:content] focus-visible:outline-none"
        />
        <Toolbar composer={composer} isRunning={isRunning} isEmpty={text.trim() === ''} />
      </form>
    </div>
  );
}

interface ToolbarProps {
  readonly composer: ComposerState;
  readonly isRunning: boolean;
  readonly isEmpty: boolean;
}

function Toolbar({ composer, isRunning, isEmpty }: ToolbarProps) {
  return (
    <div className="flex items-center gap-2 px-2 pb-2">
      <PolicyChoice policy={composer.policy} onChange={composer.setPolicy} />
      <label className="flex items-center gap-1.5 rounded-md px-1.5 text-xs text-soft hover:text-ink">
        <input
          type="checkbox"
          checked={composer.isPlan}
          onChange={(event) => composer.setIsPlan(event.target.checked)}
          className="size-3.5 accent-ink"
        />
        {t('composer.plan')}
      </label>
      {composer.model !== null && <span className="truncate text-xs text-soft">{composer.model}</span>}
      <span className="flex-1" />
      {isRunning && (
        <Button size="small" onClick={() => void composer.stop()} disabled={composer.isStopping}>
          <Icon name="stop" className="size-3.5" />
          {t(composer.isStopping ? 'composer.stopping' : 'composer.stop')}
        </Button>
      )}
      <Button size="small" type="submit" look="primary" disabled={isEmpty || composer.isSending}>
        {t(isRunning ? 'composer.queue' : 'composer.send')}
      </Button>
    </div>
  );
}

interface PolicyChoiceProps {
  readonly policy: Policy | null;
  readonly onChange: (policy: Policy | null) => void;
}

function PolicyChoice({ policy, onChange }: PolicyChoiceProps) {
  return (
    <select
      aria-label={t('composer.where')}
      title={t('composer.where')}
      value={policy ?? ''}
      onChange={({ target }) => onChange(choosablePolicies.find((one) => one === target.value) ?? null)}
      className="h-7 rounded-md bg-transparent px-1 text-xs text-soft hover:bg-chosen hover:text-ink"
    >
      <option value="">{t('composer.where.settings')}</option>
      {choosablePolicies.map((one) => (
        <option key={one} value={one}>
          {t(`composer.where.${one}`)}
        </option>
      ))}
    </select>
  );
}

interface SlashChoice {
  readonly commands: readonly SlashCommand[];
  readonly selected: number;
  readonly choose: (command: SlashCommand) => void;
  /** True: the key was for the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** The list that a `/` opens: arrows move in it, Tab and Enter take, Escape closes it. */
function useSlashMenu(text: string, setText: (text: string) => void): SlashChoice {
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [wanted, setWanted] = useState(0);
  const commands = text === closedFor ? [] : matchingCommands(text);
  const selected = Math.min(wanted, Math.max(0, commands.length - 1));
  const choose = (command: SlashCommand): void => {
    const next = `/${command.name}${command.argument === '' ? '' : ' '}`;
    setText(next);
    setClosedFor(next);
    setWanted(0);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (commands.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const command = commands[selected];
    if (step !== undefined) setWanted((selected + step + commands.length) % commands.length);
    else if (event.key === 'Escape') setClosedFor(text);
    else if ((event.key === 'Tab' || event.key === 'Enter') && command !== undefined && text !== `/${command.name}`) {
      choose(command);
    } else return false;
    event.preventDefault();
    return true;
  };
  return { commands, selected, choose, onKeyDown };
}
