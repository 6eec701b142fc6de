import type { PreviewModel } from '@shared/attachments/attachment-inputs.ts';
import { t } from '../../lib/text/translate.ts';
import { Select } from './select.tsx';

interface SeeingModelProps {
  readonly offered: readonly Pick<PreviewModel, 'id' | 'where'>[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** Which of the models that see images gets the message. */
export function SeeingModel({ offered, chosen, onChoose }: SeeingModelProps) {
  return (
    <Select
      look="small"
      className="max-w-56"
      aria-label={t('unseen.model')}
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
    >
      {offered.map(({ id, where }) => (
        <option key={id} value={id}>
          {t('unseen.option', { model: id, where: t(`composer.where.${where}`) })}
        </option>
      ))}
    </Select>
  );
}
