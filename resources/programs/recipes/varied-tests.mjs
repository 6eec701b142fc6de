/**
 * The same as `varied-tests.py`, for `node:test`. Each variant is written beside the test file and loaded from there, with a framework that
 * only runs and assertions that only record. A `FILES` constant before it lists the files and the replacements of their
 * literals.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const end = performance.now() + 10_000;
const isOver = () => performance.now() > end || process.cpuUsage().user > 4_000_000;
const print = process.stdout.write.bind(process.stdout);
let seen = [];
let tests = [];
const note = (value) => {
  seen.push(inspect(value, { depth: 6, sorted: true }).slice(0, 2000));
  return value;
};
const failed = (error) => '!' + (error?.name ?? typeof error);
const raises = (call) => {
  try {
    call();
    note('fine');
  } catch (error) {
    note(failed(error));
  }
};
const rejects = async (call) => {
  try {
    await (typeof call === 'function' ? call() : call);
    note('fine');
  } catch (error) {
    note(failed(error));
  }
};
const assert = new Proxy((value) => void note(value), {
  get: (_, name) => {
    if (/^(throws|doesNotThrow)$/.test(name)) return raises;
    if (/^(rejects|doesNotReject)$/.test(name)) return rejects;
    if (name === 'strict' || name === 'default') return assert;
    return (value) => void note(value);
  },
});
const hooks = { beforeEach: [], afterEach: [] };
const callOf = (args) => args.findLast((one) => typeof one === 'function') ?? (() => undefined);
const context = { mock, assert, after: () => undefined, diagnostic: () => undefined, plan: () => undefined };
const add = (...args) => void tests.push(callOf(args));
const group = (...args) => callOf(args)();
const test = Object.assign(add, {
  skip: () => undefined,
  todo: () => undefined,
  only: add,
  describe: group,
  test: add,
  it: add,
  suite: group,
  mock,
});
context.test = (...args) => callOf(args)(context);
for (const name of ['before', 'beforeEach']) test[name] = (call) => void hooks.beforeEach.push(call);
for (const name of ['after', 'afterEach']) test[name] = (call) => void hooks.afterEach.push(call);
globalThis.dewpoint = { assert, test };
const fake = (what, names) =>
  'data:text/javascript,' +
  encodeURIComponent(
    'const it = globalThis.dewpoint.' +
      what +
      '; export default it; ' +
      names
        .map((name) => 'export const ' + name + 'One = it.' + name + '; export { ' + name + 'One as ' + name + ' };')
        .join(' '),
  );
const modules = [
  [
    /(['"])node:assert(?:\/strict)?\1/g,
    fake('assert', [
      'strict',
      'equal',
      'deepEqual',
      'strictEqual',
      'deepStrictEqual',
      'ok',
      'throws',
      'rejects',
      'match',
      'notEqual',
    ]),
  ],
  [
    /(['"])node:test\1/g,
    fake('test', ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach', 'mock']),
  ],
];

const wait = (promise) => {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('slow')), 1000)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

async function look(call) {
  seen = [];
  const mine = seen;
  try {
    for (const hook of hooks.beforeEach) await hook(context);
    await wait(Promise.resolve(call(context)));
    for (const hook of hooks.afterEach) await hook(context);
  } catch (error) {
    mine.push(failed(error));
  }
  mock.reset();
  mock.timers.reset();
  return mine.slice();
}

process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
const { cache } = createRequire(import.meta.url);
for (const { path, scratch, edits } of FILES) {
  const file = resolve(scratch);
  const text = readFileSync(path, 'utf8');
  for (const [index, edit] of [null, ...edits].entries()) {
    if (isOver()) break;
    let made = edit === null ? text : text.slice(0, edit.from) + edit.text + text.slice(edit.to);
    made = made
      .replace(/require\((['"])node:assert(?:\/strict)?\1\)/g, 'globalThis.dewpoint.assert')
      .replace(/require\((['"])node:test\1\)/g, 'globalThis.dewpoint.test');
    for (const [from, to] of modules) made = made.replace(from, JSON.stringify(to));
    tests = [];
    hooks.beforeEach = [];
    hooks.afterEach = [];
    try {
      writeFileSync(file, made);
      delete cache[file];
      await import(pathToFileURL(file).href + '?' + index);
    } catch {
      continue;
    }
    for (const [number, call] of tests.entries()) {
      const told = await look(call);
      const digest = createHash('sha256').update(told.join('\n')).digest('hex').slice(0, 10);
      print(
        ['@@seen', path, index, number, ((told.at(-1) ?? '').startsWith('!') ? '!' : '') + digest].join(' ') + '\n',
      );
    }
  }
}
process.exit(0);
