import { describe, expect, it } from 'vitest';
import { requestOfCommit, requestOfFault } from '../../../../src/main/sessions/calibrations/task-request.ts';

const change = { added: ['    return total >= least'], before: 'def f(total, least):\n', tests: ['tests/test_f.py'] };

/** Catches: a request that tells the change, and one that no person would write. */
describe('the request of a past commit', () => {
  it('says what the message says, without its kind, numbers, links and trailers', () => {
    const message =
      'fix(cart): count orders of exactly the least value (#12)\n\nOrders at the limit were lost.\nSee https://example.org/1\n\nSigned-off-by: Ada <ada@example.org>\n';
    expect(requestOfCommit(message, change)).toBe(
      'Count orders of exactly the least value.\n\nOrders at the limit were lost.\n\nThe tests in tests/test_f.py show what is wanted. They fail now. Change the code so that they pass, and leave the tests as they are.',
    );
  });

  it.each(['wip', 'Fix tests', 'Update', 'v1.2.3', 'bump version'])('is not made from "%s"', (message) => {
    expect(requestOfCommit(message, change)).toBeNull();
  });

  it('is made in a script without spaces, and of what a merged pull request says', () => {
    expect(requestOfCommit('注文が下限と等しいときも数えるようにした', change)).toContain('注文が下限と等しい');
    expect(requestOfCommit('更新', change)).toBeNull();
    const merge = 'Merge pull request #7 from ada/least\n\nCount orders of exactly the least value\n';
    expect(requestOfCommit(merge, change)).toMatch(/^Count orders of exactly the least value\.\n/u);
    expect(requestOfCommit("Merge branch 'main' into least", change)).toBeNull();
  });

  it('is not made from a message that holds the change', () => {
    expect(requestOfCommit('Orders: return total >= least in f', change)).toBeNull();
    expect(requestOfCommit('Compare the sum with `total >= least` there', change)).toBeNull();
  });
});

const failure = { path: null, line: null, errorName: null, frames: [] };

describe('the request of a planted fault', () => {
  it('has the name of the failing test, its message and the command', () => {
    const request = requestOfFault(
      [
        { ...failure, id: 'tests/test_f.py::test_long', message: 'assert 1 == 2\n'.repeat(9) },
        { ...failure, id: 'tests/test_f.py::test_f', message: 'assert 1 == 2' },
      ],
      { command: 'python3 -m pytest -q', seed: 0 },
    );
    expect(request).toBe(
      'The test tests/test_f.py::test_f fails:\n\n    assert 1 == 2\n\nOne more test fails with it. Find the cause in the code and fix it. The tests are right. They run with: python3 -m pytest -q',
    );
  });

  it('is not made when the runner does not say which test failed', () => {
    expect(requestOfFault([{ ...failure, id: 'command', message: 'x' }], { command: 'make test', seed: 0 })).toBeNull();
  });
});
