// A key store in a file. The account's name sets its behavior: `hang`, `crash`, `locked`, `no-bus`.
import { readFileSync, writeFileSync } from 'node:fs';

const mode = process.env.FAKE_KEY_MODE ?? '';
const file = process.env.FAKE_KEY_FILE ?? '';
const load = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
};

process.on('disconnect', () => process.exit(0));
if (mode === 'not-loaded') process.send({ type: 'not-loaded', message: 'Error: libsecret-1.so.0: cannot open' });
process.on('message', ({ id, type, service, account, value }) => {
  if (mode === 'hang') return;
  if (mode === 'crash') process.kill(process.pid, 'SIGSEGV');
  const fail = (message) => process.send({ id, type: 'failed', message });
  if (mode === 'no-bus') return fail('Error: Cannot autolaunch D-Bus without X11 $DISPLAY');
  // Like libsecret: a locked store cannot be written, and reads as if it were empty.
  if (mode === 'locked' && type === 'set') return fail('Error: Cannot create an item in a locked collection');
  if (mode === 'locked') return process.send({ id, type: 'done', value: null });
  const all = load();
  const key = `${service}\n${account}`;
  if (type === 'get') return process.send({ id, type: 'done', value: all[key] ?? null });
  if (type === 'set') all[key] = value;
  else delete all[key];
  writeFileSync(file, JSON.stringify(all));
  return process.send({ id, type: 'done', value: null });
});
