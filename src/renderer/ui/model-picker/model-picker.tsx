import { lazy, Suspense, useRef, useState } from 'react';
import type { Ref } from 'react';
import { useImperativeHandle } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import { pickedModel } from '../../lib/models/model-options.ts';
import { pickedName } from '../../lib/models/use-next-model.ts';
import { useUsualModels } from '../../lib/models/use-model-options.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { t } from '../../lib/text/translate.ts';
import { RouteDot } from '../figures/route-dot.tsx';
import { Icon } from '../layout/icon.tsx';
import { ThinkingChoice } from './thinking-choice.tsx';

const ModelList = lazy(() => import('./model-list.tsx'));

export interface ModelPickerHandle {
  readonly open: () => void;
}

interface ModelPickerProps {
  readonly pick: ModelPick;
  readonly onPick: (pick: ModelPick) => void;
  /** The project whose settings apply without a pick; null: the general ones. */
  readonly projectPath: string | null;
  readonly handle?: Ref<ModelPickerHandle>;
}

/** The model for the message, by the name that people know. A click opens the list of all models. */
export function ModelPicker({ pick, onPick, projectPath, handle }: ModelPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const models = useModels().data ?? [];
  const usual = useUsualModels(projectPath);
  const picked = usual === undefined ? null : pickedModel(pick, usual);
  const name = pickedName(picked, models);
  useImperativeHandle(handle, () => ({ open: () => setIsOpen(true) }));
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={t('picker.button', { name })}
        title={picked?.type === 'model' && picked.id !== null ? seenName(picked.id) : name}
        onClick={() => setIsOpen(!isOpen)}
        className="flex h-7 max-w-56 min-w-20 items-center gap-1.5 rounded-md px-1.5 text-xs text-soft hover:bg-chosen hover:text-ink aria-expanded:bg-chosen aria-expanded:text-ink"
      >
        {picked?.type === 'model' ? <RouteDot where={picked.where} /> : <Icon name="model" className="size-3.5" />}
        <span className="truncate">{name}</span>
        <Icon name="chevron" className="size-3 rotate-90" />
      </button>
      {usual !== undefined && picked !== null && (
        <ThinkingChoice pick={pick} onPick={onPick} models={models} picked={picked} usual={usual} />
      )}
      {isOpen && usual !== undefined && (
        <Suspense>
          <ModelList
            anchor={button}
            usual={usual}
            picked={pickedModel(pick, usual)}
            onPick={(next) => {
              onPick(next);
              setIsOpen(false);
            }}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
