/** Work that a server goes on with after it has answered the call, as the server reports it. */
export interface ServerTask {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly message: string | null;
  readonly beganAt: number | null;
  /** A session's call waits for it. */
  readonly isFollowed: boolean;
}

export interface ServerTasks {
  /** False: the server does not list tasks, so only those that a session waits for are known. */
  readonly canList: boolean;
  readonly canStop: boolean;
  readonly tasks: readonly ServerTask[];
}
