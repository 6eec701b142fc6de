import type { ModelChoice } from '@shared/models/model-choice.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { bytes, sightText } from '../../lib/text/format.ts';
import { choiceName } from '../../lib/models/hub-name.ts';
import { t } from '../../lib/text/translate.ts';
import { UseModel } from './use-model.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

interface HubChoiceProps {
  readonly choice: ModelChoice;
  readonly models: readonly ModelEntry[];
  readonly usedId: unknown;
  readonly onUse: (id: string) => void;
}

/** A quantization: its size, whether it fits here, and a button to download it. */
export function HubChoice({ choice, models, usedId, onUse }: HubChoiceProps) {
  const { id, model, sizeBytes, projectorBytes, fit, fits, isTaken } = choice;
  // Another file may have the same name here, but its size then differs.
  const here = models.find((one) => one.id === model && one.state === 'ready' && one.sizeBytes === sizeBytes);
  const isHere = here !== undefined;
  const isBlind = isHere && projectorBytes !== null && here.info?.seesWith === undefined;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4" data-choice={id}>
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
          <span className="font-mono font-semibold wrap-anywhere">{seenName(choiceName(id))}</span>
          <span className="text-soft tabular-nums">{bytes(sizeBytes)}</span>
          {projectorBytes !== null && (
            <span className="text-xs text-soft tabular-nums">{sightText(projectorBytes)}</span>
          )}
          <span className={`text-xs font-semibold ${fits === null ? 'text-soft' : fits ? 'text-good' : 'text-warn'}`}>
            {t(fits === null ? 'hub.unknown' : fits ? 'hub.fits' : 'hub.tooLarge')}
          </span>
          {isTaken && <span className="text-xs font-semibold">{t('hub.suggested')}</span>}
        </p>
        {fit !== null && <p className="text-xs text-soft wrap-anywhere">{seenWords(fit)}</p>}
        {isBlind && <p className="text-xs text-warn">{t('projector.missing')}</p>}
      </div>
      {!isHere && <DownloadControl id={id} />}
      {isBlind && <DownloadControl id={id} label={t('projector.get')} />}
      {isHere && model === usedId && <span className="text-xs font-semibold">{t('models.usedLocal')}</span>}
      {isHere && model !== usedId && <UseModel onUse={() => onUse(model)} />}
    </li>
  );
}
