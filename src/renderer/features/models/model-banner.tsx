import { megabytes } from '../../lib/format.ts';
import { t } from '../../lib/texts.ts';
import { useLocalModel } from '../../lib/use-local-model.ts';
import { Notice } from '../../ui/notice.tsx';
import { PullControl } from '../../ui/pull-control.tsx';

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
        <PullControl id={model.id} />
      </Notice>
    </div>
  );
}
