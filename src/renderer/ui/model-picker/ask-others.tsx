import { useState } from 'react';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import { pickedModel } from '../../lib/models/model-options.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import { mostBeside } from '../../lib/models/beside.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Button } from '../controls/button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { Icon } from '../layout/icon.tsx';
import { ModelPicker } from './model-picker.tsx';

/** The models that are asked the same question, besides the one of the message. */
export interface AskedOthers {
  /** Empty: no other one is asked. */
  readonly picks: readonly ModelPick[];
  readonly setPicks: (picks: readonly ModelPick[]) => void;
  /** Why several cannot be asked now; null when they can. */
  readonly refusal: 'work' | 'words' | 'running' | null;
  /** Others are chosen, but cannot be asked: the message waits. */
  readonly isHeld: boolean;
}

interface Asking {
  readonly text: string;
  /** Null: the words decide. */
  readonly mode: TaskMode | null;
  readonly byWords: TaskMode;
  readonly isRunning: boolean;
}

/** Only questions go to several models at once: two that change the same files would get into each other's way. */
export function useAskedOthers({ text, mode, byWords, isRunning }: Asking): AskedOthers {
  const [picks, setPicks] = useState<readonly ModelPick[]>([]);
  const isWork = (mode ?? byWords) !== 'ask';
  const refusal = isRunning
    ? 'running'
    : mode !== null && isWork
      ? 'work'
      : isWork && text.trim() !== ''
        ? 'words'
        : null;
  return { picks, setPicks, refusal, isHeld: picks.length > 0 && refusal !== null };
}

interface AskOthersProps {
  readonly others: AskedOthers;
  /** The model of the message. */
  readonly pick: ModelPick;
  readonly projectPath: string | null;
}

/** Opens the list of the others, beside the model of the message. */
export function AskOthersButton({ others, pick, projectPath }: AskOthersProps) {
  const { picks, setPicks, refusal } = others;
  const next = useNextPick([pick, ...picks], projectPath);
  const isOpen = picks.length > 0;
  const isOff = !isOpen && refusal === 'work';
  // While a task runs nobody else can be asked, and Stop needs the room.
  if (!isOpen && refusal === 'running') return null;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-disabled={isOff}
      title={t(isOff ? 'beside.refused.work' : 'beside.askAbout')}
      onClick={() => {
        if (!isOff) setPicks(isOpen ? [] : [next]);
      }}
      // The words give way first: with too little room they wrap below the mark, where they are not seen.
      className="flex h-7 min-w-6.5 shrink-9999 flex-wrap content-start items-center gap-x-1.5 overflow-hidden rounded-md px-1.5 text-xs text-soft hover:bg-chosen hover:text-ink aria-disabled:opacity-50 aria-expanded:bg-chosen aria-expanded:text-ink"
    >
      <span className="flex h-7 items-center">
        <Icon name="columns" className="size-3.5" />
      </span>
      <span className="leading-7 whitespace-nowrap">{t('beside.ask')}</span>
    </button>
  );
}

/** The others, each with the picker of a message. */
export function AskOthersList({ others, pick, projectPath }: AskOthersProps) {
  const { picks, setPicks, refusal } = others;
  const navigate = useNavigate();
  const next = useNextPick([pick, ...picks], projectPath);
  if (picks.length === 0) return null;
  return (
    <fieldset className="mb-2 rounded-xl border border-line bg-raised px-3 py-2">
      <legend className="px-1 text-xs font-semibold text-soft">{t('beside.also')}</legend>
      <ul className="flex flex-wrap items-center gap-2">
        {picks.map((other, at) => (
          <li
            key={`${at}`}
            aria-label={t('beside.numbered', { number: at + 2 })}
            className="flex min-w-0 items-center rounded-lg border border-line"
          >
            <ModelPicker
              pick={other}
              onPick={(picked) => setPicks(picks.map((one, index) => (index === at ? picked : one)))}
              projectPath={projectPath}
            />
            <IconButton
              icon="close"
              label={t('beside.remove', { number: at + 2 })}
              onClick={() => setPicks(picks.filter((_, index) => index !== at))}
            />
          </li>
        ))}
        {picks.length < mostBeside - 1 && (
          <li>
            <Button size="small" look="quiet" onClick={() => setPicks([...picks, next])}>
              <Icon name="plus" className="size-3.5" /> {t('beside.add')}
            </Button>
          </li>
        )}
      </ul>
      {refusal !== null && (
        <output className="mt-1.5 flex flex-wrap items-center gap-2 text-xs text-warn">
          {t(`beside.refused.${refusal}`)}
          {refusal !== 'running' && (
            <Button size="small" onClick={() => navigate({ type: 'compare' })}>
              {t('beside.toCompare')}
            </Button>
          )}
        </output>
      )}
    </fieldset>
  );
}

/** A ready model that is not asked yet, or else the first one again, with another effort to choose. */
function useNextPick(asked: readonly ModelPick[], projectPath: string | null): ModelPick {
  const models = useModels().data ?? [];
  const usual = useUsualModels(projectPath);
  const [first = { policy: null }] = asked;
  if (usual === undefined) return first;
  const ids = asked
    .map((pick) => pickedModel(pick, usual))
    .map((picked) => (picked.type === 'model' ? picked.id : null));
  const free = models.find(({ id, state }) => state === 'ready' && !ids.includes(id));
  if (free === undefined) return first;
  return free.where === 'local' ? { policy: 'local', local: free.id } : { policy: 'cloud', cloud: free.id };
}
