import type Dockerode from 'dockerode';
import { sleep } from '../../../lib/async/abort.ts';
import { statusOf, withDeadline } from './engine-deadline.ts';

type Docker = Pick<Dockerode, 'ping'>;

export const engineStopped = 'the container engine stopped';
export const engineSilent = 'the container engine does not answer';

const everyMs = 5_000;
/** A busy engine answers slowly. One that misses two of these limits in a row will not recover by itself. */
const answerMs = 10_000;
const silences = 2;
const backMs = 500;

/** Resolves when the engine has stopped answering. Asks every few seconds until `signal` aborts. Never rejects. */
export async function engineSilence(docker: Docker, signal: AbortSignal): Promise<void> {
  for (let silent = 0; silent < silences;) {
    if (!(await isOver(everyMs, signal))) return;
    silent = (await answers(docker, answerMs)) ? 0 : silent + 1;
  }
}

/**
 * Removes a container as soon as the engine answers again, because its processes must not keep writing to the
 * project unnoticed. Gives up after ten minutes, or when `signal` aborts. Never rejects.
 */
export async function removeWhenBack(
  docker: Docker,
  container: Pick<Dockerode.Container, 'remove'>,
  signal: AbortSignal,
): Promise<'removed' | 'given up'> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (!(await isOver(1_000, signal))) return 'given up';
    if (!(await answers(docker, answerMs))) continue;
    try {
      await withDeadline(answerMs, signal, () => container.remove({ force: true, v: true }));
      return 'removed';
    } catch (error) {
      // 404: it is gone already. 409: it is being removed.
      if (statusOf(error) === 404 || statusOf(error) === 409) return 'removed';
    }
  }
  return 'given up';
}

/** Whether the engine has recorded such an event of a container. Never rejects. */
export async function hadEvent(
  docker: Pick<Dockerode, 'getEvents'>,
  containerId: string,
  event: string,
): Promise<boolean> {
  const work = async (): Promise<boolean> => {
    const now = Math.floor(Date.now() / 1000);
    const filters = { container: [containerId], event: [event] };
    const stream = await docker.getEvents({ since: now - 86_400, until: now + 1, filters });
    let text = '';
    for await (const bytes of stream) text += String(bytes);
    return text.trim() !== '';
  };
  // If the engine does not say, nothing has happened as far as we know.
  return withDeadline(answerMs, null, work).catch(() => false);
}

/** Whether the engine answers, now or within `waitMs`. Never rejects. */
export async function engineAnswers(
  docker: Docker,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    if (await answers(docker, answerMs)) return true;
    if (performance.now() >= deadline || !(await isOver(backMs, signal))) return false;
  }
}

/** Waits. Returns false if an abort came first. */
function isOver(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, signal).then(
    () => true,
    () => false,
  );
}

async function answers(docker: Docker, milliseconds: number): Promise<boolean> {
  return withDeadline(milliseconds, null, () => docker.ping()).then(
    () => true,
    () => false,
  );
}

/**
 * Waits for an engine that has stopped. A restart takes seconds, or longer if the user must do it. `tell` gets that it
 * waits, and that it waited in vain. Never rejects.
 */
export async function waitForEngine(
  docker: Docker,
  {
    waitMs,
    tell,
    signal,
  }: { readonly waitMs: number; readonly tell: (text: string) => void; readonly signal: AbortSignal },
): Promise<boolean> {
  const seconds = Math.round(waitMs / 1000);
  tell(`${engineStopped}; Dewpoint waits up to ${seconds} s`);
  const isBack = await engineAnswers(docker, { waitMs, signal });
  if (!isBack) tell(`${engineStopped} and was not back within ${seconds} s`);
  return isBack;
}
