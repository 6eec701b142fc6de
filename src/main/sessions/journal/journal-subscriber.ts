import type { SessionEvent, Transient } from '@shared/events/events.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';

/** What a subscriber receives: a snapshot at first and after it fell far behind, else events in order, transients. */
export type JournalPush =
  | { readonly type: 'snapshot'; readonly state: SessionState; readonly money: MoneyState }
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'transient'; readonly transient: Transient };

/** May return a promise: the next push waits for it, the journal does not. An error ends only this subscription. */
export type JournalListener = (push: JournalPush) => void | Promise<void>;

/** Above this many waiting pushes, transients are dropped. Above the second, one snapshot replaces the events. */
const dropTransientsAbove = 1000;
const snapshotAbove = 10_000;

export interface SubscriberOptions {
  readonly listener: JournalListener;
  /** Events that come before all pushes. They are read as fast as the listener takes them. */
  readonly first: AsyncIterable<SessionEvent> | null;
  readonly snapshot: () => JournalPush;
  readonly onEnd: (error: unknown) => void;
}

/** One listener with its own queue, so that a slow one delays nobody else. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  #queue: JournalPush[] = [];
  #first: AsyncIterable<SessionEvent> | null;
  #isStopped = false;
  #running: Promise<void> | null = null;

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.#first = options.first;
    if (options.first) this.#start();
  }

  push(push: JournalPush): void {
    if (this.#isStopped) return;
    if (push.type === 'transient' && this.#queue.length >= dropTransientsAbove) return;
    if (this.#queue.length >= snapshotAbove) this.#queue = [this.#options.snapshot()];
    else this.#queue.push(push);
    this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#queue = [];
  }

  /** Resolves when the listener has taken everything that was pushed so far. Never rejects. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #start(): void {
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
      if (this.#queue.length > 0) this.#start();
    });
  }

  async #drain(): Promise<void> {
    const { listener, onEnd } = this.#options;
    const first = this.#first;
    this.#first = null;
    try {
      // Leaves the append that pushed.
      await Promise.resolve();
      for await (const event of first ?? []) {
        if (this.#isStopped) return;
        await listener({ type: 'event', event });
      }
      while (this.#queue.length > 0) {
        const batch = this.#queue;
        this.#queue = [];
        for (const push of batch) {
          if (this.#isStopped) return;
          const waits = listener(push);
          if (waits) await waits;
        }
      }
    } catch (error) {
      this.stop();
      onEnd(error);
    }
  }
}
