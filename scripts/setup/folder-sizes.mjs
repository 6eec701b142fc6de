import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Says how large a folder is, and its largest parts.
 * @param {string} folder
 * @returns {string}
 */
export function sizesText(folder) {
  /** @type {[string, number][]} */
  const parts = [];
  const total = sizeOf(folder, '', parts);
  const largest = parts.sort(([, left], [, right]) => right - left).slice(0, 8);
  return [`${inMegabytes(total)} in all`, ...largest.map(([path, size]) => `${inMegabytes(size)}  ${path}`)].join('\n');
}

/** @param {string} base @param {string} path @param {[string, number][]} parts @returns {number} bytes */
function sizeOf(base, path, parts) {
  const info = lstatSync(join(base, path));
  if (info.isFile()) parts.push([path, info.size]);
  if (!info.isDirectory()) return info.size;
  return readdirSync(join(base, path)).reduce((sum, name) => sum + sizeOf(base, join(path, name), parts), 0);
}

/** @param {number} bytes */
function inMegabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`.padStart(9);
}
