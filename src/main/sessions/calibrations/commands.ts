import type { Calibration, CalibrationView } from '@shared/calibration/calibration.ts';
import { createPushQueue, latestOf } from '../../lib/async/push-queue.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { CalibrationRunner } from './run-calibrations.ts';

/** Handlers for calibrations: what models are worth in a repository. */
export function createCalibrationCommands(calibrations: CalibrationRunner): Handlers['calibrations'] {
  return {
    create: async ({ input, signal }) => ({ id: await calibrations.create(input, signal) }),
    start: ({ input: { id, ...limits } }) => calibrations.start(id, limits),
    watch: ({ input, signal }) => viewStream(calibrations, input.id, signal),
    cancel: ({ input }) => calibrations.cancel(input.id),
    show: async ({ input }) => viewOf(await calibrations.show(input.id)),
    list: async () => (await calibrations.list()).map(viewOf),
  };
}

/** Without the texts of tasks, which hold whole files and the right answers. */
function viewOf({ tasks, ...rest }: Calibration): CalibrationView {
  return {
    ...rest,
    tasks: tasks.map(({ id, kind, size, language, title, request, check, verified }) => ({
      id,
      kind,
      size,
      language,
      title,
      request,
      check,
      verified,
    })),
  };
}

/** The calibration now and after each change, until nothing works on it. Ending the stream stops nothing. */
async function* viewStream(
  { watch }: Pick<CalibrationRunner, 'watch'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<CalibrationView> {
  const queue = createPushQueue<CalibrationView>(signal, Number.POSITIVE_INFINITY);
  const stop = await watch(
    id,
    (calibration) => void queue.push(viewOf(calibration)),
    (error) => queue.end(error),
  );
  try {
    yield* latestOf(queue);
  } finally {
    stop();
    queue.end();
  }
}
