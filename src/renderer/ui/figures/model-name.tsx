import { seenName } from '@shared/text/seen-text.ts';
import { useModelName } from '../../lib/models/use-model-name.ts';

/** The name that people know a model by. Hovering shows its id from settings and logs. */
export function ModelName({ id, className }: { readonly id: string; readonly className?: string }) {
  const modelName = useModelName();
  return (
    <span title={seenName(id)} className={className}>
      {modelName(id)}
    </span>
  );
}
