import { seenName } from '@shared/text/seen-text.ts';
import type { ModelOption } from '../../lib/models/model-options.ts';
import type { ModelFit } from '../../lib/models/use-model-options.ts';
import { bytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { RouteDot } from '../figures/route-dot.tsx';
import { Icon } from '../layout/icon.tsx';

interface ModelLineProps {
  readonly id: string;
  readonly option: ModelOption;
  /** Null: not known. */
  readonly fit: ModelFit | null;
  /** Marked by the keyboard. */
  readonly isMarked: boolean;
  readonly isPicked: boolean;
  /** The model in the settings. */
  readonly isDefault: boolean;
  readonly onChoose: () => void;
}

/** A line of the picker: a model's name, and its memory or cost. */
export function ModelLine({ id, option, fit, isMarked, isPicked, isDefault, onChoose }: ModelLineProps) {
  return (
    <div
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="option"
      tabIndex={-1}
      aria-selected={isMarked}
      aria-current={isPicked}
      data-option={option.key}
      title={option.type === 'model' ? seenName(option.key) : undefined}
      // Keeps the focus and the keyboard in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      onKeyDown={() => undefined}
      className="flex min-h-8 min-w-0 cursor-pointer items-center gap-x-2 rounded-md px-2 py-1 hover:bg-chosen aria-selected:bg-chosen"
    >
      <span className="flex size-3.5 shrink-0 items-center justify-center">{markOf(option)}</span>
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
        <span className="min-w-0 truncate font-semibold">{optionLabel(option)}</span>
        {isDefault && <span className="text-xs text-soft">{t('picker.default')}</span>}
        <span className="flex-1" />
        <Facts option={option} fit={fit} />
      </span>
      <Icon name="check" className={`size-3.5 ${isPicked ? '' : 'invisible'}`} />
    </div>
  );
}

function markOf(option: ModelOption) {
  if (option.type === 'model') return <RouteDot where={option.model.where} />;
  return <Icon name={option.type === 'auto' ? 'model' : 'plus'} className="size-3.5 text-soft" />;
}

function optionLabel(option: ModelOption): string {
  if (option.type === 'add-cloud') return t('picker.addCloud');
  if (option.type === 'model') return seenName(option.name);
  return t(option.policy === 'hybrid' ? 'picker.auto' : `picker.${option.policy}`);
}

function Facts({ option, fit }: { readonly option: ModelOption; readonly fit: ModelFit | null }) {
  if (option.type === 'add-cloud') return <span className="text-xs text-soft">{t('picker.addCloud.about')}</span>;
  if (option.type === 'auto') return <AutoFacts policy={option.policy} />;
  const { model, state } = option;
  return (
    <span className="flex flex-wrap gap-x-2 text-xs text-soft tabular-nums">
      {state === 'no-key' && <span className="text-warn">{t('picker.noKey')}</span>}
      {state === 'unreachable' && <span className="text-bad">{t('picker.unreachable')}</span>}
      {state === 'downloadable' && (
        <span>
          {model.sizeBytes === null ? t('picker.downloadable') : t('picker.download', { size: bytes(model.sizeBytes) })}
        </span>
      )}
      {fit !== null && (
        <span className={fit.fits ? 'text-good' : 'text-warn'}>
          {fit.fits ? t('picker.fits') : t('picker.tooLarge', { memory: bytes(fit.bytes) })}
        </span>
      )}
      {model.where === 'cloud' && state !== 'unreachable' && <span>{priceText(option)}</span>}
    </span>
  );
}

function AutoFacts({ policy }: { readonly policy: 'hybrid' | 'economy' | 'balanced' | 'quality' }) {
  const text = t(policy === 'hybrid' ? 'picker.auto.about' : `picker.${policy}.about`);
  return <span className="min-w-0 basis-full truncate text-xs text-soft">{text.split(';')[0]}</span>;
}

function priceText({ model: { info } }: Extract<ModelOption, { type: 'model' }>): string {
  if (info === null || info.price === null) return t('picker.unpriced');
  return t('picker.price', { input: info.price.input, output: info.price.output });
}
