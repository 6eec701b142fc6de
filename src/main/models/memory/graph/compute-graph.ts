import type { CellCounts, ContextRequest } from '../estimate/context-memory.ts';
import type { Arena, Block } from './graph-arena.ts';
import type { GraphShape } from './graph-shape.ts';

/** What a step of the graph is written with. Elements are float32 and of one token unless said otherwise. */
export interface ComputeGraph {
  readonly shape: GraphShape;
  readonly arena: Arena;
  readonly request: ContextRequest;
  readonly cells: CellCounts;
  /** Tokens that the next tensors are for: those of the batch, in the end the rows that are asked for. */
  readonly tokens: number;
  readonly take: (elements: number) => Block;
}
