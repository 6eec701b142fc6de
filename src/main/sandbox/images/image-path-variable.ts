import { withDeadline } from '../docker/engine/engine-deadline.ts';
import type { Engine } from '../docker/engine/container-engine.ts';

const engineMs = 10_000;
const usual = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The PATH of an image. Rejects if the engine does not answer. */
export async function imagePath(engine: Engine, imageId: string, signal: AbortSignal): Promise<string> {
  const { Config } = await withDeadline(engineMs, signal, () => engine.docker.getImage(imageId).inspect());
  const entry = (Config?.Env ?? []).find((text) => text.startsWith('PATH='));
  return entry === undefined || entry === 'PATH=' ? usual : entry.slice('PATH='.length);
}
