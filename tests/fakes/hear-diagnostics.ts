import { vi } from 'vitest';
import { diagnostics } from '../../src/main/lib/log.ts';

/** What the log of this process is told from now on, in place of writing it. */
export function hearDiagnostics(): readonly string[] {
  const heard: string[] = [];
  const hear = (text: string, cause?: unknown): void =>
    void heard.push(cause instanceof Error ? `${text}: ${cause.message}` : text);
  vi.spyOn(diagnostics, 'warn').mockImplementation(hear);
  vi.spyOn(diagnostics, 'error').mockImplementation(hear);
  return heard;
}
