import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ServerReach } from '@shared/tools/server-definition.ts';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';
import type { ToolResult } from '../define.ts';

/** Remembers when each server answered last and when it did not, so that a later start of Dewpoint can say so. */
export interface KeptReach {
  /** What is known of exactly this definition. */
  readonly of: (server: string, sha256: string) => Promise<ServerReach>;
  /** Why the last start in this run failed. Null: it did not. */
  readonly problem: (server: string) => string | null;
  readonly started: (server: string, sha256: string) => Promise<void>;
  /** The server did not start, or did not answer. Nothing here ever rejects. */
  readonly notStarted: (server: string, sha256: string, error: unknown) => Promise<void>;
  /** A call ended: with an answer of the server, or without one. */
  readonly called: (server: string, sha256: string, result: ToolResult) => Promise<void>;
  readonly drop: (server: string) => Promise<void>;
}

const nothing: ServerReach = { reachedAt: null, failedAt: null, problem: null };
const longestProblem = 2_000;
const keptSchema = z.object({
  sha256: z.string(),
  reachedAt: z.number().nullable(),
  failedAt: z.number().nullable(),
  problem: z.string().nullable(),
});

export function createKeptReach(folder: string, now: () => number): KeptReach {
  const problems = new Map<string, string>();
  const known = new Map<string, z.infer<typeof keptSchema>>();
  const fileOf = (server: string): string => join(folder, server, 'reach.json');
  const of: KeptReach['of'] = async (server, sha256) => {
    const file = known.has(server)
      ? null
      : await readJsonFile(fileOf(server), (value) => keptSchema.parse(value)).catch(
          orNoted('When a tool server answered last was not read', null),
        );
    if (file?.type === 'value') known.set(server, file.value);
    const kept = known.get(server);
    if (kept?.sha256 !== sha256) return nothing;
    const { reachedAt, failedAt, problem } = kept;
    return { reachedAt, failedAt, problem };
  };
  const keep = async (server: string, sha256: string, reach: ServerReach): Promise<void> => {
    known.set(server, { sha256, ...reach });
    await writeJsonFile(fileOf(server), { sha256, ...reach }).catch(
      orNoted('When a tool server answered last was not saved', undefined),
    );
  };
  const reached = (server: string, sha256: string): Promise<void> =>
    keep(server, sha256, { reachedAt: now(), failedAt: null, problem: null });
  const failed = async (server: string, sha256: string, problem: string): Promise<void> => {
    const { reachedAt } = await of(server, sha256);
    await keep(server, sha256, { reachedAt, failedAt: now(), problem: problem.slice(0, longestProblem) });
  };
  return {
    of,
    problem: (server) => problems.get(server) ?? null,
    started: (server, sha256) => {
      problems.delete(server);
      return reached(server, sha256);
    },
    notStarted: async (server, sha256, error) => {
      problems.set(server, problemOf(error));
      // A key that is missing says nothing about the server, and is asked for by itself.
      const isUnreached = !(error instanceof AppError && error.code === 'missing-key');
      if (isUnreached) await failed(server, sha256, problemOf(error));
    },
    called: async (server, sha256, { status, output }) => {
      if (status === 'cancelled') return;
      // The server went away, or said nothing for too long.
      if (status === 'unknown' || status === 'timed-out') await failed(server, sha256, output);
      else await reached(server, sha256);
    },
    drop: async (server) => {
      known.delete(server);
      problems.delete(server);
      await rm(fileOf(server), { force: true });
    },
  };
}

/** Where its program is missing, what to install is a part of the problem. */
function problemOf(error: unknown): string {
  const hint = error instanceof AppError && error.code === 'not-found' ? error.hint : undefined;
  return hint === undefined ? messageOf(error) : `${messageOf(error)} ${hint}`;
}
