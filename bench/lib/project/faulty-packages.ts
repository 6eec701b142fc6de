import { z } from 'zod';
import data from '../../data/planted-faults.json';

/**
 * A small change of a published package that makes one of its own tests fail. The changes come from the operators of
 * mechanical changes with a fixed seed, one a function; the test is the first that failed in the sandbox.
 */
const plantedFaultSchema = z.strictObject({
  file: z.string(),
  /** The changed line, from 1. */
  line: z.number().int(),
  /** `text` takes the place of the characters from `start` to `end`. */
  start: z.number().int(),
  end: z.number().int(),
  text: z.string(),
  /** The file and name of the test, as in `tests/test_a.py::test_b`. */
  test: z.string(),
});

const faultyPackageSchema = z.strictObject({
  /** Nothing was ever chosen by the results of the held half. */
  split: z.enum(['dev', 'held']),
  source: z.strictObject({
    ecosystem: z.enum(['pypi', 'npm']),
    package: z.string(),
    version: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  faults: z.array(plantedFaultSchema).min(1),
});

export type PlantedFault = z.infer<typeof plantedFaultSchema>;
export type FaultyPackage = z.infer<typeof faultyPackageSchema>;

export const faultyPackages: readonly FaultyPackage[] = z.array(faultyPackageSchema).parse(data);
