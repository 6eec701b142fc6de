import type { ContractRouterClient } from '@orpc/contract';
import type { contract } from '@shared/contract/contract.ts';

/** Every command and stream of the core. Only its type comes from the contract: no schema is in the page. */
export type CoreClient = ContractRouterClient<typeof contract>;

export interface Connection {
  readonly client: CoreClient;
  /** Resolves with the reason when the other side has gone. */
  readonly closed: Promise<CloseReason>;
}

/** `refused`: the token is missing or wrong; trying again will not help. */
export type CloseReason = 'lost' | 'refused';
