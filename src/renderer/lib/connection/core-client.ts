import type { ContractRouterClient } from '@orpc/contract';
import type { contract } from '@shared/contract/contract.ts';

/** Every command and stream of the core. Only the types come from the contract; the page holds no schemas. */
export type CoreClient = ContractRouterClient<typeof contract>;

export interface Connection {
  readonly client: CoreClient;
  /** Resolves with the reason when the connection is closed. */
  readonly closed: Promise<CloseReason>;
}

/** `refused`: the token is missing or wrong, so trying again does not help. */
export type CloseReason = 'lost' | 'refused';
