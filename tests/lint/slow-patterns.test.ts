import { resolve } from 'node:path';
import { analyse } from 'scslre';
import { describe, expect, it } from 'vitest';
import { boundedPatterns } from '../contracts/growth/bounded-patterns.ts';
import { findPatterns } from '../contracts/growth/found-patterns.ts';
import { findScanners } from '../contracts/growth/found-scanners.ts';
import { callsOf, notMeasured } from '../contracts/growth/scanner-calls.ts';

/**
 * Catches: a pattern whose form alone shows that a text of a model, a command or a project can slow it down, and a
 * pattern that is in no list. tests/contracts/pattern-growth.test.ts measures them.
 */
const root = resolve(import.meta.dirname, '../..');
const patterns = findPatterns(root);

describe('patterns over text of others', () => {
  it('are found, whether written at once or put together', () => {
    expect(patterns.length).toBeGreaterThan(1000);
    expect(patterns.filter(({ written }) => written.startsWith('new RegExp(')).length).toBeGreaterThan(40);
  });

  it('have no form that reads a part of a text again and again', () => {
    const found = patterns.filter(({ file, written, source, flags }) => {
      const isBounded = boundedPatterns.some((one) => one.file === file && one.written === written);
      return !isBounded && analyse(new RegExp(source, flags)).reports.length > 0;
    });
    expect(found.map(({ file, line, written }) => `${file}:${line} ${written}`)).toEqual([]);
  });

  it('are listed as reading short texts only while they exist', () => {
    const isThere = ({ file, written }: { readonly file: string; readonly written: string }): boolean =>
      patterns.some((one) => one.file === file && one.written === written);
    expect(boundedPatterns.filter((one) => !isThere(one))).toEqual([]);
  });
});

describe('functions that read a text of others', () => {
  const scanners = findScanners(root);
  const placeOf = ({ file, name }: { readonly file: string; readonly name: string }): string => `${file}#${name}`;

  it('are measured, or left out with a reason', () => {
    const isKnown = (place: string): boolean => place in callsOf || place in notMeasured;
    const unknown = scanners.filter((one) => !one.isAlone && !isKnown(placeOf(one)));
    expect(unknown.map(placeOf)).toEqual([]);
  });

  it('are in the lists only while they exist', () => {
    const places = new Set(scanners.map(placeOf));
    const listed = [...Object.keys(callsOf), ...Object.keys(notMeasured)];
    expect(listed.filter((place) => !places.has(place))).toEqual([]);
  });
});
