import { useState } from 'react';
import type { AttachmentPreview, PreviewModel, ScanPreview } from '@shared/attachments/attachment-inputs.ts';
import { hasImage } from '@shared/attachments/attachment-text.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { offeredModels, optionsForModel, withoutMentions } from '../../lib/input/use-attachment-preview.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import type { PickedOptions } from '../../lib/models/model-options.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { HintButton } from '../notices/hint-button.tsx';
import { Notice } from '../notices/notice.tsx';
import { Button } from './button.tsx';
import { SeeingModel } from './seeing-model.tsx';

interface UnseenPicturesProps {
  readonly attachments: Pick<Attachments, 'list' | 'remove'>;
  readonly files: { readonly preview: AttachmentPreview | null };
  readonly onModel: (options: PickedOptions, id: string) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/**
 * Pictures that no model of the message can see: choose another model, or send without them. Pages without text are
 * only told, because the text of their document is sent all the same.
 */
export function UnseenPictures(props: UnseenPicturesProps) {
  const { preview } = props.files;
  if (preview === null) return null;
  const { unseen, scans } = preview;
  if (unseen !== null) return <UnseenImages {...props} preview={preview} seeing={unseen.seeing} />;
  return scans === undefined ? null : <PagesWithoutText {...{ preview, scans }} onModel={props.onModel} />;
}

type Known = UnseenPicturesProps & { readonly preview: AttachmentPreview };

type UnseenImagesProps = Known & { readonly seeing: readonly PreviewModel[] };

function UnseenImages({ attachments, preview, seeing, onModel, text, onText }: UnseenImagesProps) {
  const { offered, kept } = offeredModels(preview, seeing);
  const isChoice = offered.length > 0;
  const images = preview.files.filter(({ attachment }) => hasImage([attachment]));
  const leaveOut = (): void => {
    for (const one of attachments.list) if (hasImage([one])) attachments.remove(one);
    const named = images.flatMap(({ attachment: { path }, isMentioned }) => (isMentioned ? (path ?? []) : []));
    if (named.length > 0) onText(withoutMentions(text, named));
  };
  const models = namesOf(preview.models);
  return (
    <Notice kind="warning" className="mb-2">
      <p>
        {!isChoice && kept > 0
          ? t('pictures.kept', { models, seeing: namesOf(seeing) })
          : t(isChoice ? 'attach.unseen' : 'attach.unseenNone', { models })}{' '}
        {isChoice && kept > 0 && plural('unseen.kept', kept)}
      </p>
      <CouldSee preview={preview} />
      <p className="mt-1.5 flex flex-wrap gap-2">
        <OtherModel offered={offered} preview={preview} onModel={onModel} />
        <Button size="small" onClick={leaveOut}>
          {plural('attach.leaveImages', images.length)}
        </Button>
        {!isChoice && kept === 0 && <HintButton hint={t('pictures.hint')} />}
      </p>
    </Notice>
  );
}

/** What happens to the pages of a PDF that have no text, before anything is sent. */
function PagesWithoutText({
  preview,
  scans,
  onModel,
}: Pick<Known, 'preview' | 'onModel'> & { readonly scans: ScanPreview }) {
  const { pages, drawn, seeing } = scans;
  const tokens = scans.tokens.toLocaleString('en-US');
  if (seeing === null)
    return (
      <p className="mb-2 text-xs text-soft">
        {drawn < pages ? t('scans.some', { drawn, pages, tokens }) : plural('scans.sent', pages, { tokens })}
      </p>
    );
  const { offered } = offeredModels(preview, seeing);
  return (
    <Notice kind="info" className="mb-2">
      <p>{plural('scans.unseen', pages, { models: namesOf(preview.models) })}</p>
      <CouldSee preview={preview} />
      {offered.length > 0 && (
        <p className="mt-1.5 flex flex-wrap gap-2">
          <OtherModel offered={offered} preview={preview} onModel={onModel} />
        </p>
      )}
    </Notice>
  );
}

/** One click, or two if there are several models. */
function OtherModel({
  offered,
  preview,
  onModel,
}: Pick<Known, 'preview' | 'onModel'> & { readonly offered: readonly PreviewModel[] }) {
  const [wanted, setWanted] = useState('');
  const model = offered.find(({ id }) => id === wanted) ?? offered[0];
  if (model === undefined) return null;
  return (
    <>
      <SeeingModel offered={offered} chosen={model.id} onChoose={setWanted} />
      <Button size="small" look="primary" onClick={() => onModel(optionsForModel(model, preview), model.id)}>
        {t('attach.use')}
      </Button>
    </>
  );
}

/** The model of the message itself would see, if the engine that uses its projector were set up. */
function CouldSee({ preview: { couldSee = [] } }: Pick<Known, 'preview'>) {
  if (couldSee.length === 0) return null;
  return (
    <div className="mt-1 flex flex-col gap-1.5">
      <p className="wrap-anywhere">{t('pictures.couldSee', { models: namesOf(couldSee) })}</p>
      <HintButton hint={t('pictures.setUp')} />
    </div>
  );
}

function namesOf(models: readonly PreviewModel[]): string {
  return models.map(({ label }) => seenName(label)).join(', ');
}
