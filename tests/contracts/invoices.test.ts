import { describe, expect, it } from 'vitest';
import { addedUp, invoices, ourCost } from '../generated/invoices.ts';

describe('worked invoices', () => {
  it.each(invoices.map((invoice) => [invoice.name, invoice] as const))(
    'agree with the ledger: %s',
    async (_name, invoice) => {
      const { costUsd } = await ourCost(invoice);
      expect(addedUp(invoice)).toBeCloseTo(Number(invoice.totalUsd), 12);
      expect(costUsd).toBeCloseTo(Number(invoice.totalUsd), 12);
    },
  );
});
