import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrationSchema, type Calibration } from '@shared/calibration/calibration.ts';
import { AppError } from '@shared/errors.ts';
import { isMissing, readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';

/** The calibrations of a home, one file each, replaced as a whole. The logs of the sessions have the details of the runs. */
export interface CalibrationStore {
  readonly save: (calibration: Calibration) => Promise<void>;
  /** Rejects with `not-found`, or with `log-damaged` for a file that is not a calibration. The file is not changed. */
  readonly load: (id: string) => Promise<Calibration>;
  /** Latest first. Unreadable files are left out. */
  readonly list: () => Promise<readonly Calibration[]>;
}

export function createCalibrationStore(folder: string): CalibrationStore {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  const load = async (id: string): Promise<Calibration> => {
    const file = /^[a-z0-9][a-z0-9-]{0,99}$/u.test(id)
      ? await readJsonFile(pathOf(id), (value) => calibrationSchema.parse(value))
      : ({ type: 'missing' } as const);
    if (file.type === 'value') return file.value;
    if (file.type === 'missing')
      throw new AppError('not-found', `The calibration "${id}" was not found.`, {
        hint: 'Run `dewpoint calibrate --list` to see yours.',
      });
    throw new AppError('log-damaged', `The calibration ${id} cannot be read: ${file.reason}`, {
      hint: 'The file was not changed. You can still open the sessions of its runs.',
    });
  };
  return {
    save: (calibration) => writeJsonFile(pathOf(calibration.id), calibration),
    load,
    list: async () => {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const ids = names.filter((name) => /^[a-z0-9].*\.json$/u.test(name)).map((name) => name.slice(0, -5));
      const found = await Promise.all(ids.map((id) => load(id).catch(orNoted('A calibration was not read', null))));
      return found.filter((one) => one !== null).sort((left, right) => right.createdAt - left.createdAt);
    },
  };
}
