/** Work that a server does for a call after it has answered: as the server says it. */
export interface ServerTask {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly message: string | null;
  readonly beganAt: number | null;
  /** A call of a session waits for it. */
  readonly isFollowed: boolean;
}

export interface ServerTasks {
  /** False: it lists none, and only those are known that a session waits for. */
  readonly canList: boolean;
  readonly canStop: boolean;
  readonly tasks: readonly ServerTask[];
}
