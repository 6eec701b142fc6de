import { base } from './contract-base.ts';
import { type } from '@orpc/contract';
import { z } from 'zod';
import type { KeptItem } from '@shared/projects/project-preparation.ts';

/** One line of the report that `doctor` prints. */
export interface Finding {
  readonly area: string;
  readonly status: 'ok' | 'warning' | 'missing';
  readonly text: string;
  readonly hint: string | null;
}

/** What Dewpoint keeps on this machine, and whether it is set up. */
export const homeContract = {
  home: {
    info: base.output(type<{ pid: number; version: string; home: string; cache: string }>()),
    /** The end of the log for diagnosis, oldest line first, and the folder of its files. */
    log: base.output(type<{ folder: string; text: string }>()),
    /** The license texts of all that it holds, and the folder with those of Electron; null: a checkout, with its NOTICE. */
    licenses: base.output(type<{ folder: string | null; text: string }>()),
  },
  doctor: base.output(type<readonly Finding[]>()),
  /** Lists what is kept in the container engine, and removes what is not needed, or all of it. */
  clean: base
    .input(z.object({ remove: z.enum(['nothing', 'unneeded', 'all']), images: z.boolean().optional() }))
    .output(type<readonly KeptItem[]>()),
};
