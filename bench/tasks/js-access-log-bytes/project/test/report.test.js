import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from '../src/report.js';

const LOG = `
10.0.0.1 - - [01/Mar/2024:10:00:00 +0000] "GET /a.html HTTP/1.1" 200 512
10.0.0.2 - ada [01/Mar/2024:11:00:00 +0000] "GET /b.html HTTP/1.1" 200 88
`;

test('adds up a day', () => {
  assert.equal(report(LOG), '01/Mar/2024: 2 requests, 600 bytes');
});

test('requests without an answer body count', () => {
  const log = `${LOG}10.0.0.1 - - [01/Mar/2024:12:00:00 +0000] "GET /a.html HTTP/1.1" 304 -\n`;
  assert.equal(report(log), '01/Mar/2024: 3 requests, 600 bytes');
});
