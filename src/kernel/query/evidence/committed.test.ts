/** Only ids that the run has issued count as observed, not ids that look similar. */
import { expect, test } from 'vitest';
import type { RunState } from '../../state/run-state.ts';
import { type Vec, vecEmpty, vecPush } from '../../state/vec.ts';
import { isObserved } from './committed.ts';

let evidence: Vec<string> = vecEmpty;
for (let place = 1; place <= 40; place += 1) evidence = vecPush(evidence, `ev_${place}`);
const state = { work: { evidence } } as unknown as RunState;

test.each(['ev_1', 'ev_9', 'ev_33', 'ev_40'])('%s is observed', (id) => {
  expect(isObserved(state, id)).toBe(true);
});

test.each([
  'ev_0',
  'ev_41',
  'ev_-1',
  'ev_01',
  'ev_1.0',
  'ev_1e0',
  'ev_0x1',
  'ev_ 1',
  'ev_',
  'ev_1\n',
  'EV_1',
  'in_1',
  'xev_1',
  '1',
  '',
])('%j is not observed', (id) => {
  expect(isObserved(state, id)).toBe(false);
});
