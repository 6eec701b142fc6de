import type { CellCounts, ContextRequest } from '../estimate/context-memory.ts';
import type { Arena, Block } from './graph-arena.ts';
import type { GraphShape } from './graph-shape.ts';

/** The state while a graph is gone through. Elements are float32 and for one token unless said otherwise. */
export interface ComputeGraph {
  readonly shape: GraphShape;
  readonly arena: Arena;
  readonly request: ContextRequest;
  readonly cells: CellCounts;
  /** The number of tokens of the next tensors: those of the batch, and at the end the requested rows. */
  readonly tokens: number;
  readonly take: (elements: number) => Block;
}
