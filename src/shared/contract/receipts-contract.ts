import { type } from '@orpc/contract';
import { z } from 'zod';
import type { Receipt } from '@shared/safety/receipt.ts';
import { base, bySession, path } from './contract-base.ts';

/** A receipt as a file. `fingerprint`: SHA-256 of the public key, in hexadecimal. */
export interface SignedReceipt {
  readonly text: string;
  readonly fingerprint: string;
}

const about = z.discriminatedUnion('type', [
  bySession.extend({ type: z.literal('session') }),
  z.object({ type: z.literal('project'), project: path }),
  z.object({ type: z.literal('month'), month: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u) }),
]);

/** What left this machine, counted at its sockets, and what could have left and did not. */
export const receiptsContract = {
  show: base.input(about).output(type<Receipt>()),
  /** The same, signed with the key of this home. Makes the key if there is none. */
  sign: base.input(about).output(type<SignedReceipt>()),
};
