import type { ReactNode } from 'react';
import type { Counterfactual } from '@shared/money/counterfactual.ts';
import { knownWays } from '../fakes/made-outcomes.ts';
import {
  CounterfactualFigure,
  CounterfactualFigures,
  EnergyText,
} from '../../src/renderer/ui/figures/counterfactual-figures.tsx';
import { LostFigures } from '../../src/renderer/ui/figures/lost-figures.tsx';
import { MoneyCap } from '../../src/renderer/ui/figures/money-cap.tsx';
import { ExpectedMessage, ExpectedWays } from '../../src/renderer/ui/figures/expected-ways.tsx';
import { ReceiptLink } from '../../src/renderer/ui/figures/receipt-link.tsx';
import { SpendingLimits } from '../../src/renderer/ui/figures/spending-limits.tsx';
import { NeedMark } from '../../src/renderer/ui/figures/need-mark.tsx';

const energy = {
  wattHours: 1.24,
  energyUsd: 0.0004,
  unmeteredCalls: 2,
  unpricedEnergyCalls: 0,
  estimatedEnergyCalls: 10,
};

const figures: Counterfactual = {
  allLocal: {
    basis: 'estimated',
    usd: { value: 0.0004, low: 0.0003, high: 0.0006 },
    seconds: { value: 94, low: 70, high: 141 },
    why: null,
    formula: '12 calls, 48,000 tokens read at 900/s and 2,100 written at 51/s',
  },
  allCloud: {
    basis: 'estimated',
    usd: null,
    seconds: null,
    why: 'no cloud model has a price',
    formula: 'tokens × price',
  },
};

/** The pieces that show money, time and what to expect. */
export const figurePieces: Readonly<Record<string, ReactNode>> = {
  'lost-figures': (
    <LostFigures
      lost={{
        failed: { calls: 2, costUsd: 0.0031, unpricedCalls: 0 },
        cancelled: { calls: 1, costUsd: 0, unpricedCalls: 1 },
        sentBack: { calls: 4, costUsd: 0.0208, unpricedCalls: 0 },
      }}
    />
  ),
  'counterfactual-figures': (
    <>
      <CounterfactualFigures figures={figures} />
      <CounterfactualFigure where="cloud" label="Only a label" figures={figures.allLocal} />
      <EnergyText energy={energy} localCalls={12} />
      <EnergyText energy={{ ...energy, unmeteredCalls: 12 }} localCalls={12} />
    </>
  ),
  'money-cap': (
    <>
      <MoneyCap scope="month" />
      <MoneyCap scope="day" />
      <MoneyCap scope="project" projectPath="/project" />
    </>
  ),
  'expected-ways': (
    <>
      <ExpectedWays expectation={{ ...knownWays, warning: 'Everything goes to the cloud.' }} />
      <ExpectedMessage pick={{ policy: null }} mode="work" projectPath={null} hasWords />
    </>
  ),
  'receipt-link': (
    <div className="flex flex-wrap gap-3">
      <ReceiptLink about={null} />
      <ReceiptLink about={{ type: 'session', sessionId: 'one' }} />
    </div>
  ),
  'spending-limits': <SpendingLimits />,
  'need-mark': (
    <div className="flex items-center gap-3 text-xs">
      <NeedMark need="answer" isAtWork />
      <NeedMark need="answer" isAtWork={false} />
      <NeedMark need="working" isAtWork />
      <NeedMark need="look" isAtWork={false} />
    </div>
  ),
};
