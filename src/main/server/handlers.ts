import type { AnyContractProcedure, ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract';
import type { contract } from '@shared/contract/contract.ts';

/** One call of a command: its parsed input, and a signal that aborts when nobody waits for the answer any more. */
export interface Call<Input> {
  readonly input: Input;
  readonly signal: AbortSignal;
}

type HandlerOf<Procedure> =
  Procedure extends ContractProcedure<infer Input, infer Output, infer _Errors, infer _Meta>
    ? (call: Call<InferSchemaOutput<Input>>) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>
    : never;

type HandlersOf<Node> = Node extends AnyContractProcedure
  ? HandlerOf<Node>
  : { readonly [Name in keyof Node]: HandlersOf<Node[Name]> };

/**
 * The handlers of all commands of the contract. A handler throws an `AppError` for an expected failure, and returns an
 * async iterable for a stream. The handlers of each subject are in its `commands.ts`.
 */
export type Handlers = HandlersOf<typeof contract>;
