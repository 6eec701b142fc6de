import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import { orNoted } from '../../lib/log.ts';

const digestMs = 5_000;

interface CurrentWriterOptions {
  /** The version of Dewpoint that runs. */
  readonly app: string;
  readonly find: (id: string, signal: AbortSignal) => Promise<Pick<ModelInfo, 'digest'> | null>;
}

/**
 * The model of a writer as it is today, with this version of Dewpoint. A digest is looked for only where there was one, so
 * that no service in the cloud is asked. Never rejects.
 */
export function createCurrentWriter({ app, find }: CurrentWriterOptions) {
  return async (writer: ProgramWriter | null): Promise<ProgramWriter> => {
    const { model = null, digest = null } = writer ?? {};
    if (model === null || digest === null) return { model, digest: null, app };
    const info = await find(model, AbortSignal.timeout(digestMs)).catch(
      orNoted('What wrote a program was not compared', null),
    );
    return { model, digest: info?.digest ?? null, app };
  };
}
