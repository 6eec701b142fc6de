/**
 * The JavaScript counterpart of the Python client: runs an ES module in a Node that has `vm.SourceTextModule`. Frames
 * use the file descriptors 3 and 4, so that child processes of the program cannot reach them. The check uses the parser
 * inside Node; if it is not found, only the syntax is checked. Nothing here protects anything.
 */
'use strict';
const fs = require('node:fs');
const { createRequire, isBuiltin, registerHooks } = require('node:module');
const { Socket } = require('node:net');
const { join, relative } = require('node:path');
const { Writable } = require('node:stream');
const { fileURLToPath, pathToFileURL } = require('node:url');
const vm = require('node:vm');

const NAME = 'program.js';
const MOST = 1000000;
const MOST_IMPORTS = 50;
const here = join(process.cwd(), NAME);
const near = createRequire(here);
Error.stackTraceLimit = 30;

function plain(key, value) {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}

function writeAll(fd, data) {
  for (let at = 0; at < data.length;)
    try {
      at += fs.writeSync(fd, data, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
}

/** Nothing that was printed waits for a loop that may never go on. */
for (const [at, name] of ['stdout', 'stderr'].entries()) {
  const value = new Writable({ write: (bytes, _encoding, next) => next(writeAll(at + 1, bytes)) });
  Object.defineProperty(process, name, { value, configurable: true });
}

function send(frame) {
  const data = Buffer.from(JSON.stringify(frame, plain) + '\n');
  if (data.length > MOST) throw new RangeError('It has ' + data.length + ' bytes as JSON. The limit is ' + MOST + '.');
  writeAll(4, data);
}

class ToolError extends Error {
  constructor(tool, status, text) {
    super(tool + ': ' + status + ': ' + text);
    Object.assign(this, { name: 'ToolError', tool, status, text });
  }
}

class Result extends String {
  json() {
    return JSON.parse(this);
  }
}

const closed = 'tests and imports call no tools; put what is to be done into: if (import.meta.main) { … }';
let isOpen = false;
let last = 0;
let source = null;
let idle = () => undefined;
const waiting = new Map();

function call(tool, given = {}) {
  return new Promise((resolve, reject) => {
    if (!isOpen) throw new ToolError(tool, 'refused', closed);
    if (typeof given !== 'object' || given === null) throw new TypeError(tool + ' takes one object with its arguments');
    send({ type: 'call', id: last + 1, tool, input: given });
    last += 1;
    waiting.set(last, { tool, resolve, reject });
    source.ref();
  });
}

async function parallel(calls, { errors = 'raise' } = {}) {
  const ended = await Promise.allSettled(calls.map(([tool, given]) => call(tool, given)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed !== undefined && errors === 'raise') throw failed.reason;
  return ended.map(({ value, reason }) => value ?? reason);
}

function answered({ id, status, text, exitCode, data }) {
  const { tool, resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) {
    source.unref();
    idle();
  }
  if (status === 'ok') resolve(Object.assign(new Result(text), { data, exit_code: exitCode }));
  else reject(new ToolError(tool, status, text));
}

const tools = new Proxy(
  { call, parallel },
  {
    get: (own, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined;
      return Object.hasOwn(own, name) ? own[name] : (given) => call(name, given);
    },
  },
);

/** Whether commands can write where a file lies. What is there may be what an earlier command put there. */
function isWritable(path) {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    return error.code !== 'EROFS';
  }
}

/** The files that the question named. Null: nobody is asked, and every file may be loaded. */
let named = null;
const loaded = new Set();
const own = new Set([here, join(process.cwd(), '[eval]')]);
let lookedUp = null;

/** What a named file loads runs with the same yes. Everything else that commands can write has to be named. */
function resolve(name, context, next) {
  const found = next(name, context);
  if (lookedUp !== null) {
    lookedUp(found.url);
    throw new Error('it was only looked up');
  }
  const path = fileAt(found.url);
  if (named === null || path === null || !isWritable(path)) return found;
  const from = fileAt(context.parentURL ?? '');
  if (!named.has(path) && (own.has(from) || !loaded.has(from)))
    throw new Error(
      relative(process.cwd(), path) +
        ' was not named in the question, so it is not loaded. Import it by its name in the text of the program.',
    );
  loaded.add(path);
  return found;
}

function fileAt(url) {
  return /^file:/i.test(url) ? fileURLToPath(url) : null;
}

/** Where an import leads, by all that decides it. Null: to nothing. */
async function placeOf({ name, isRequire }) {
  if (isRequire)
    try {
      return pathToFileURL(near.resolve(name)).href;
    } catch {
      return null;
    }
  let place = null;
  lookedUp = (url) => void (place = url);
  await import(name).catch(() => undefined);
  lookedUp = null;
  return place;
}

/** What the texts import, by its node, without Node's own and kept modules. */
async function importsIn(texts, modules) {
  const found = [];
  for (const text of texts) {
    const { tree } = treeOf(text);
    for (const node of tree === null ? [] : nodesIn(tree)) {
      const one = importedBy(node);
      if (one === null || isBuiltin(one.name) || Object.hasOwn(modules, one.name)) continue;
      const place = await placeOf(one);
      found.push({ text, line: node.loc.start.line, name: one.name, place, path: fileAt(place ?? '') });
    }
  }
  return found.sort((one, other) => one.line - other.line);
}
function textOf(node) {
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

function importedBy(node) {
  const isRequire = node.type === 'CallExpression' && node.callee.name === 'require';
  const name = textOf(isRequire ? node.arguments[0] : node.source);
  return name === null ? null : { name, isRequire };
}

function parserOf() {
  try {
    return require('internal/deps/acorn/acorn/dist/acorn');
  } catch {
    return null;
  }
}

function treeOf(text) {
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true };
    return { tree: parserOf()?.parse(text, options) ?? null };
  } catch (error) {
    return { tree: null, wrongLine: error.loc?.line };
  }
}

function* nodesIn(root) {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node.type === 'string') yield node;
    for (const part of Object.values(node)) if (typeof part === 'object' && part !== null) left.push(part);
  }
}

function checked(given) {
  const { tree, wrongLine } = treeOf(given.program);
  try {
    new vm.SourceTextModule(given.program, { identifier: NAME });
  } catch (error) {
    return [[wrongLine ?? 1, error.message]];
  }
  return tree === null ? [] : problemsOf(tree, given);
}

function problemsOf(tree, { tools: known, announced }) {
  const problems = [];
  const say = (node, text) => problems.push([node.loc.start.line, text]);

  function tool(node, name) {
    if (!Object.hasOwn(known, name)) say(node, 'there is no tool ' + name);
    else if (!announced.includes(name)) say(node, name + ' is not among the announced calls');
    else return known[name];
    return null;
  }

  function given(node, spec, value) {
    if (spec === null || (value !== undefined && value.type !== 'ObjectExpression')) return;
    const parts = value?.properties ?? [];
    const names = parts
      .filter((part) => part.key !== undefined && !part.computed)
      .map(({ key }) => key.name ?? key.value);
    for (const name of spec.takes === null ? [] : names)
      if (!spec.takes.includes(name))
        say(node, spec.name + ' has no argument ' + name + '; it has: ' + spec.takes.join(', '));
    for (const name of names.length < parts.length ? [] : spec.needs)
      if (!names.includes(name)) say(node, spec.name + ' needs the argument ' + name);
  }

  function called(node, name, args) {
    if (name === 'call') {
      const first = textOf(args[0]);
      if (first !== null) given(node, tool(node, first), args[1]);
    } else if (name === 'parallel') {
      for (const pair of args.flatMap((arg) => [...nodesIn(arg)])) {
        const first = pair.type === 'ArrayExpression' && pair.elements.length === 2 ? textOf(pair.elements[0]) : null;
        if (first !== null) given(pair, tool(pair, first), pair.elements[1]);
      }
    } else if (args.some(({ type }) => type.endsWith('Literal')))
      say(node, name + ' takes one object with its arguments');
    else given(node, tool(node, name), args[0]);
  }

  const isTools = (node) => node?.type === 'MemberExpression' && !node.computed && node.object.name === 'tools';
  for (const node of nodesIn(tree)) {
    if (node.type === 'CallExpression' && isTools(node.callee)) called(node, node.callee.property.name, node.arguments);
  }
  return problems;
}

/** Names of tests that a text has at its outer level. */
function testNames(text) {
  const found = text.matchAll(/^(?:export +)?(?:(?:async +)?function|const|let) +(test_\w+)/gm);
  return [...new Set([...found].map(([, name]) => name))];
}

/** By the name of a module: how to look into it, from its first line. */
const looks = Object.create(null);

async function moduleOf(text, name, world) {
  const tests = testNames(text).map((test) => test + ': typeof ' + test + " === 'function' ? " + test + ' : null');
  const look =
    "__look('" +
    name +
    "', { result: () => result, state: () => state, tests: () => ({ " +
    tests.join(', ') +
    ' }) }); ';
  const path = join(process.cwd(), name);
  const module = new vm.SourceTextModule(look + text, {
    identifier: name,
    initializeImportMeta: (meta) =>
      Object.assign(meta, {
        main: world.isMain && name === NAME,
        url: pathToFileURL(path).href,
        filename: path,
        dirname: process.cwd(),
      }),
    importModuleDynamically: (wanted, _from, attributes) => reach(wanted, world, attributes),
  });
  await module.link((wanted, _from, { attributes }) => reach(wanted, world, attributes));
  return module;
}

async function reach(wanted, world, attributes) {
  if (!isBuiltin(wanted) && Object.hasOwn(world.modules, wanted)) {
    world.loaded[wanted] ??= moduleOf(world.modules[wanted], wanted + '.js', world).then(async (kept) => {
      await kept.evaluate();
      return kept;
    });
    return world.loaded[wanted];
  }
  const space = await import(wanted, { with: attributes });
  const names = Object.keys(space);
  const other = new vm.SyntheticModule(names, () => names.forEach((name) => other.setExport(name, space[name])), {
    identifier: wanted,
  });
  await other.link(() => undefined);
  await other.evaluate();
  return other;
}

function worldOf(given, isMain) {
  Object.assign(globalThis, {
    tools,
    ToolError,
    args: given.arguments,
    state: given.state,
    result: undefined,
    require: near,
  });
  globalThis.__look = (name, look) => void (looks[name] = look);
  return { modules: given.modules, isMain, loaded: Object.create(null) };
}

function failure(error) {
  const isError = typeof error === 'object' && error !== null && 'stack' in error;
  const text = isError ? (error.name ?? 'Error') + ': ' + error.message : 'It threw: ' + String(error);
  const lines = given.program.split('\n');
  const at = (isError ? String(error.stack) : '').split('\n').flatMap((row) => {
    const found = /^ +at (?:(?:async )?(.*) \()?program\.js:(\d+)/.exec(row);
    return found === null ? [] : [{ line: Number(found[2]), where: found[1] ?? 'the outer level' }];
  });
  const rows = at.slice(0, 6).reverse();
  const trace = rows.map(
    ({ line, where }) =>
      '  ' + NAME + ', line ' + line + ', in ' + where + '\n    ' + (lines[line - 1] ?? '').trim() + '\n',
  );
  return {
    type: 'failed',
    error: text.slice(0, 4000),
    line: at[0]?.line ?? null,
    trace: trace.join('').slice(0, 4000),
  };
}

/** In a process of its own: nothing of it is left for the program. */
function ranTests(given) {
  const texts = [given.program, ...Object.values(given.modules)];
  if (!texts.some((text) => testNames(text).length > 0)) return [0, []];
  const { spawnSync } = require('node:child_process');
  const stdio = ['pipe', 2, 2, 'pipe'];
  const child = spawnSync(process.execPath, [...process.execArgv, 'tests'], { input: JSON.stringify(given), stdio });
  try {
    return JSON.parse(String(child.output[3]));
  } catch {
    return [0, ['line 1: a test ended the process (' + (child.signal ?? child.status) + ')']];
  }
}

async function testAll() {
  let count = 0;
  const problems = [];
  try {
    const world = worldOf(given, false);
    if (testNames(given.program).length > 0) await (await moduleOf(given.program, NAME, world)).evaluate();
    for (const name of Object.keys(given.modules)) await reach(name, world);
    for (const [name, test] of Object.values(looks).flatMap(({ tests }) => Object.entries(tests()))) {
      if (test === null) continue;
      count += 1;
      try {
        await test();
      } catch (error) {
        const { line, error: text } = failure(error);
        problems.push('line ' + (line ?? 1) + ': the test ' + name + ' failed: ' + text.slice(0, 300));
      }
    }
  } catch (error) {
    const { line, error: text } = failure(error);
    problems.push('line ' + (line ?? 1) + ': the tests could not begin: ' + text.slice(0, 300));
  }
  fs.writeSync(3, JSON.stringify([count, problems.slice(0, 20)]));
  process.exit(0);
}

let isOver = false;

function finish(frame) {
  if (isOver) return;
  isOver = true;
  try {
    send(frame);
  } catch (error) {
    const text = 'What it assigned to result cannot be given back: ' + error.message;
    send({ type: 'failed', error: text, line: null, trace: '' });
  }
  process.exit(0);
}

function done() {
  try {
    finish({ type: 'done', value: looks[NAME].result() ?? null, state: looks[NAME].state() });
  } catch (error) {
    finish(failure(error));
  }
}

function stoppedBy(text) {
  finish({ type: 'failed', error: text, line: null, trace: '' });
}

async function run() {
  source.unref();
  process.on('uncaughtException', (error) => finish(failure(error)));
  process.on('unhandledRejection', (error) => finish(failure(error)));
  process.on('beforeExit', () => stoppedBy('It waits for something that never comes.'));
  process.on('exit', (code) => {
    if (isOver) return;
    if (code === 0) done();
    else stoppedBy('It ended itself with: ' + code);
  });
  try {
    const world = worldOf(given, true);
    const main = await moduleOf(given.program, NAME, world);
    isOpen = true;
    await main.evaluate();
    // What nobody awaited was asked for all the same.
    while (waiting.size > 0) {
      await new Promise((next) => void (idle = next));
      await new Promise((next) => setImmediate(next));
    }
  } catch (error) {
    finish(failure(error));
  }
  done();
}

let given = null;
let heard = (frame) => void check(frame);

async function check(frame) {
  given = frame;
  let [problems, imports, tests] = [[], [], 0];
  try {
    const found = await importsIn([given.program, ...Object.values(given.modules)], given.modules);
    const lost = found.filter(({ text, place }) => text === given.program && place === null);
    imports = found.filter(({ path }) => path !== null && isWritable(path));
    const wrong = [...checked(given), ...lost.map(({ line, name }) => [line, 'there is no module ' + name])];
    if (imports.length > MOST_IMPORTS)
      wrong.push([1, 'it imports more than ' + MOST_IMPORTS + ' files of the project']);
    problems = wrong.sort(([one], [other]) => one - other).map(([line, text]) => 'line ' + line + ': ' + text);
    if (problems.length === 0) [tests, problems] = ranTests(given);
  } catch (error) {
    problems = ['line 1: it could not be checked: ' + error.message];
  }
  heard = () => {
    heard = answered;
    if (given.leaves) named = new Set(imports.map(({ path }) => path));
    void run();
  };
  imports = imports.slice(0, MOST_IMPORTS);
  const shown = imports.map(({ line, path }) => ({ line, path: relative(process.cwd(), path).slice(0, 200) }));
  send({
    type: 'checked',
    problems: problems.slice(0, 20).map((problem) => problem.slice(0, 400)),
    tests,
    imports: shown,
  });
}

if (process.argv[1] === 'tests') {
  given = JSON.parse(fs.readFileSync(0, 'utf8'));
  void testAll();
} else if (vm.SourceTextModule === undefined || registerHooks === undefined) {
  process.exit(126);
} else {
  registerHooks({ resolve });
  source = new Socket({ fd: 3, readable: true, writable: false });
  let rest = [];
  source.on('data', (bytes) => {
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10)) {
      const line = Buffer.concat([...rest, bytes.subarray(0, at)]).toString();
      rest = [];
      bytes = bytes.subarray(at + 1);
      heard(JSON.parse(line));
    }
    rest.push(bytes);
  });
  source.on('end', () => process.exit(70));
}
