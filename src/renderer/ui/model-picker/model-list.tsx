import { Popover } from 'radix-ui';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent, RefObject } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyEntry } from '@shared/contract/keys-contract.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import type { ModelGroup, ModelOption, ModelPick, PickedModel, UsualModels } from '../../lib/models/model-options.ts';
import { isPicked, modelGroups, pickedModel, pickOf } from '../../lib/models/model-options.ts';
import type { ModelFit } from '../../lib/models/use-model-options.ts';
import { useFavoriteModels, useModelFits } from '../../lib/models/use-model-options.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { ModelAbout } from './model-about.tsx';
import { ModelLine } from './model-line.tsx';

interface ModelListProps {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly usual: UsualModels;
  readonly picked: PickedModel;
  readonly onPick: (pick: ModelPick) => void;
  readonly onClose: () => void;
}

/**
 * All models to choose from. Typing searches, arrows move, Enter chooses, Tab goes to the actions of the marked one.
 */
export default function ModelList({ anchor, usual, picked, onPick, onClose }: ModelListProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { groups, fits, favorites, star } = useOffers(typed);
  const options = groups.flatMap((group) => group.options);
  const [wanted, setWanted] = useState<string | null>(null);
  const at = markedAt(options, wanted, picked);
  const marked = options[at];
  const about = useRef<HTMLDivElement>(null);
  const choose = (option: ModelOption): void => {
    setWanted(option.key);
    if (option.type === 'add-cloud') navigate({ type: 'settings', at: 'keys' });
    else if (option.type === 'auto' || option.state === 'ready') onPick(pickOf(option, usual));
    else if (option.state === 'no-key') navigate({ type: 'settings', at: 'keys' });
    // A model that is not here can be downloaded, which has its own button.
    else requestAnimationFrame(() => about.current?.querySelector<HTMLElement>('[data-first] button')?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
    if (next !== undefined && options.length > 0) {
      setWanted(options[(next + options.length) % options.length]?.key ?? null);
    } else if (event.key === 'Enter' && marked !== undefined) choose(marked);
    else return;
    event.preventDefault();
  };
  return (
    <Popover.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Content
        side="top"
        align="start"
        sideOffset={6}
        collisionPadding={8}
        aria-label={t('picker.label')}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          anchor.current?.focus();
        }}
        onInteractOutside={(event) => {
          // The button itself closes the list.
          if (event.target instanceof Node && anchor.current?.contains(event.target) === true) event.preventDefault();
        }}
        className="z-40 flex max-h-[min(28rem,var(--radix-popover-content-available-height))] w-[min(30rem,calc(100vw-1rem))] flex-col rounded-xl border border-line bg-raised text-sm shadow-float"
      >
        <Lines
          {...{ groups, fits, picked, typed, usual, choose }}
          markedKey={marked?.key ?? null}
          onTyped={(text) => {
            setTyped(text);
            setWanted(null);
          }}
          onKeyDown={onKeyDown}
        />
        <ModelAbout
          handle={about}
          option={marked ?? null}
          fit={marked === undefined ? null : (fits.get(marked.key) ?? null)}
          order={usual.order}
          isStarred={marked !== undefined && favorites.includes(marked.key)}
          onStar={star}
        />
      </Popover.Content>
    </Popover.Root>
  );
}

const noKeys: readonly KeyEntry[] = [];

function useOffers(typed: string) {
  const client = useClient();
  const models = useModels().data ?? [];
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client.keys.list(undefined, { signal }),
  }).data?.keys;
  const [favorites, star] = useFavoriteModels();
  const groups = modelGroups({ models, keys: keys ?? noKeys, favorites }, typed);
  const planned = models.filter(({ id, where }) => where === 'local' && /^(?:llama-cpp|ollama)\//u.test(id));
  const fits = useModelFits(planned.map(({ id }) => id));
  return { groups, fits, favorites, star };
}

/** The line that the keyboard moved to, else the current pick, else the first. */
function markedAt(options: readonly ModelOption[], wanted: string | null, picked: PickedModel): number {
  const asked = options.findIndex(({ key }) => key === wanted);
  return asked >= 0
    ? asked
    : Math.max(
        0,
        options.findIndex((option) => isPicked(option, picked)),
      );
}

interface LinesProps {
  readonly groups: readonly ModelGroup[];
  readonly fits: ReadonlyMap<string, ModelFit>;
  readonly picked: PickedModel;
  readonly usual: UsualModels;
  readonly typed: string;
  readonly onTyped: (text: string) => void;
  readonly markedKey: string | null;
  readonly choose: (option: ModelOption) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The search field, and the lines that it found. */
function Lines({ groups, fits, picked, usual, typed, onTyped, markedKey, choose, onKeyDown }: LinesProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [markedKey]);
  const isDefault = (option: ModelOption): boolean => isPicked(option, pickedModel({ policy: null }, usual));
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={t('picker.search')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={markedKey === null ? undefined : `${id}-${markedKey}`}
        aria-autocomplete="list"
        placeholder={t('picker.search')}
        value={typed}
        spellCheck={false}
        onChange={({ target }) => onTyped(target.value)}
        onKeyDown={onKeyDown}
        className="h-10 w-full shrink-0 rounded-t-xl border-b border-line bg-transparent px-3 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-ink"
      />
      {groups.length === 0 && <p className="px-3 py-4 text-center text-soft">{t('picker.none')}</p>}
      <div
        ref={list}
        id={id}
        // No `select` element, because it belongs to a field that keeps the focus.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="listbox"
        aria-label={t('picker.list')}
        className="min-h-0 flex-1 overflow-y-auto p-1.5 empty:hidden"
      >
        {groups.map(({ name, options }) => (
          // There is no other grouping element for a list of options.
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          <div key={name} role="group" aria-label={t(`picker.group.${name}`)}>
            <p aria-hidden="true" className="px-2 pt-1.5 pb-0.5 text-xs text-soft">
              {t(`picker.group.${name}`)}
            </p>
            {options.map((option) => (
              <ModelLine
                key={option.key}
                id={`${id}-${option.key}`}
                option={option}
                fit={fits.get(option.key) ?? null}
                isMarked={option.key === markedKey}
                isPicked={isPicked(option, picked)}
                isDefault={isDefault(option)}
                onChoose={() => choose(option)}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}
