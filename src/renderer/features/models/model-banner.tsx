import { megabytes } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useLocalModel } from '../../lib/models/use-local-model.ts';
import { Notice } from '../../ui/notices/notice.tsx';
import { DownloadControl } from '../../ui/controls/download-control.tsx';

/** Says when the chosen local model is not on this machine, and fetches it when asked to. */
export function ModelBanner({ projectPath }: { readonly projectPath: string | null }) {
  const model = useLocalModel(projectPath).data?.model ?? null;
  if (model?.state !== 'downloadable') return null;
  const { label, sizeBytes } = model;
  return (
    <div className="mx-auto w-full max-w-3xl px-5 pt-3">
      <Notice kind="warning">
        <p className="mb-2">
          {sizeBytes === null
            ? t('models.missingNoSize', { label })
            : t('models.missing', { label, size: megabytes(sizeBytes) })}
        </p>
        <DownloadControl id={model.id} />
      </Notice>
    </div>
  );
}
