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

/** Something that can be tried once, to see that it works and how long it takes. */
export interface SetupTrial {
  readonly id: string;
  readonly area: string;
  /** What would be done. */
  readonly text: string;
  /** The most that it can cost, in US dollars; null: unknown. 0: nothing, and nothing is sent to a service. */
  readonly mostUsd: number | null;
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
  setup: {
    /** What can be tried here. Starts, sends and asks nothing. */
    trials: base.output(type<readonly SetupTrial[]>()),
    /** Tries one of them. The caller has shown what it may cost. */
    try: base.input(z.object({ id: z.string().min(1).max(400) })).output(type<Finding>()),
  },
  /** Lists what is kept in the container engine, and removes what is not needed, or all of it. */
  clean: base
    .input(z.object({ remove: z.enum(['nothing', 'unneeded', 'all']), images: z.boolean().optional() }))
    .output(type<readonly KeptItem[]>()),
};
