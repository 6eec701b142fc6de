import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
const src = (p) => pathToFileURL('/tmp/dp/e/src/' + p).href;
registerHooks({ resolve: (n, c, next) => next(n.startsWith('@shared/') ? src('shared/' + n.slice(8)) : n, c) });
const { withRepository } = await import(src('main/git/repository.ts'));
const { readStatus } = await import(src('main/git/read-status.ts'));
await withRepository('/tmp/dp/e-4k', { signal: new AbortController().signal }, async (r) => {
  const n = {};
  const files = Object.fromEntries(Object.entries(r.files).map(([k, f]) => [k, async (...a) => { const key = k + ' ' + (a[0].startsWith('/git') ? a[0].replace(/[0-9a-f]{38}/,'X') : '/tree'); n[key] = (n[key] ?? 0) + 1; return f(...a); }]));
  const iv=setInterval(()=>{},1000); await readStatus({ ...r, files, git: { ...r.git, fs: { promises: files } } });
  console.log(Object.entries(n).sort((a, b) => b[1] - a[1]).slice(0, 20));
});
process.exit(console.log(process.cpuUsage()));
