import { type } from '@orpc/contract';
import { z } from 'zod';
import type { KnownAnswer } from '@shared/calibration/known-answer.ts';
import { base, bySession, path } from './contract-base.ts';

/** A model that the recorded session called. */
export interface CapsuleModel {
  readonly id: string;
  readonly where: 'local' | 'cloud';
  /** The digest of its files when the capsule was made. Null: unknown, as in the cloud. */
  readonly digest: string | null;
}

/** What does not go into a capsule, and why. A folder stands for all that is in it. */
export interface CapsuleLeft {
  readonly path: string;
  readonly why: string;
}

/** What a capsule would hold. */
export interface CapsulePlan {
  readonly sessionId: string;
  readonly title: string;
  readonly messages: number;
  readonly events: number;
  /** The files as they were before the first message. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** One hash over their paths, contents and whether each can be run. */
  readonly filesHash: string;
  readonly left: readonly CapsuleLeft[];
  /** Files that something else changed after the session began. They are in the capsule as they are now. */
  readonly changedSince: readonly string[];
  /** What the log stored beside itself: requests, long outputs, contents of changed files. */
  readonly stored: { readonly count: number; readonly bytes: number; readonly missing: number };
  readonly models: readonly CapsuleModel[];
  readonly replay: { readonly hash: string; readonly difference: string | null };
}

/** What a check of a capsule found. */
export interface CapsuleReport {
  readonly title: string;
  readonly appVersion: string;
  readonly engine: string;
  readonly models: readonly CapsuleModel[];
  readonly left: readonly CapsuleLeft[];
  readonly files: number;
  /** The hash of the files as they were unpacked here. */
  readonly filesHash: string;
  readonly sameFiles: boolean;
  /** Null, as the next: no work on it is recorded, it is a task alone. */
  readonly replayHash: string | null;
  readonly sameReplay: boolean | null;
  /** The first difference, in words. Null: there is none. */
  readonly difference: string | null;
  /** A task that was made, not taken from a session. */
  readonly task: { readonly kind: string; readonly request: string; readonly check: string | null } | null;
}

/** A capsule whose files were unpacked to work in them. */
export interface UnpackedCapsule {
  readonly folder: string;
  readonly files: number;
  /** The messages of the recorded session, in order. */
  readonly messages: readonly string[];
  readonly task: {
    readonly kind: string;
    readonly check: string | null;
    /** Files that are set back before the check runs. */
    readonly tests: readonly string[];
    readonly answer: KnownAnswer | null;
  } | null;
  /** Folders of packages that stayed out. */
  readonly packages: readonly string[];
  readonly options: {
    readonly policy?: string;
    readonly local?: string;
    readonly cloud?: string;
    readonly check?: string;
    readonly strategy?: string;
    readonly seed?: number;
  };
  /** What differs here from where the capsule was made, as sentences. */
  readonly notes: readonly string[];
}

const capsuleInput = bySession.extend({
  /** Globs of files that stay out. */
  without: z.array(z.string().min(1).max(1000)).max(200),
});

/** A task in one file, so that anybody can repeat it. */
export const capsulesContract = {
  /** Reads the log and the folder, and writes nothing. */
  plan: base.input(capsuleInput).output(type<CapsulePlan>()),
  /** Writes what was planned. Rejects with `conflict` if it is no longer the same. */
  make: base.input(capsuleInput.extend({ path, filesHash: z.string().length(64) })).output(type<{ bytes: number }>()),
  /** Unpacks the files, compares all hashes, and replays the log without a model. Leaves nothing behind. */
  check: base.input(z.object({ path })).output(type<CapsuleReport>()),
  /** Unpacks the files into a new folder. */
  unpack: base.input(z.object({ path, folder: path })).output(type<UnpackedCapsule>()),
};
