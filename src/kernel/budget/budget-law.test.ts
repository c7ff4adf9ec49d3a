/**
 * Proves the law of budgets: no order of reservations, settlements, releases, extensions and lanes overdraws an
 * account, and a run and its lanes together never spend more than the run's caps.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import type { Budget, BudgetCaps, BudgetCounter, Need } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { COUNTER_ROWS } from '../../model/budget/dimensions.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { add } from './account.ts';
import { charge, extend, openBudget, releaseReservation, reserve, settle } from './budget.ts';
import { laneCaps, laneNeed, laneSpent } from './lane-caps.ts';
import { remaining } from './view.ts';

const COUNTERS: readonly BudgetCounter[] = COUNTER_ROWS.map(({ counter }) => counter);
const APPROVAL = { by: 'operator', reason: 'worth it' };

const amount = fc.nat({ max: 12 });
const needs: fc.Arbitrary<Need> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...COUNTERS), amount), { selector: ([counter]) => counter, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

function capsFrom(min: number, max: number): fc.Arbitrary<BudgetCaps> {
  const cap = fc.integer({ min, max });
  const usd = cap.map((microusd) => microusd / 1_000_000);
  const counted = {
    input_tokens_max: cap,
    output_tokens_max: cap,
    tool_calls_max: cap,
    external_api_calls_max: cap,
    inference_cost_usd_max: usd,
    reflection_passes_max: cap,
    memory_writes_max: cap,
    side_effects_max: cap,
    steps_max: cap,
    replan_attempts_max: fc.integer({ min: min > 0 ? 2 : 0, max: min > 0 ? 2 : 1 }),
    lanes_max: fc.integer({ min: min > 0 ? 6 : 0, max: min > 0 ? 6 : 1 }),
    tool_spend_usd_max: usd,
  };
  const required = Object.keys(counted).filter((key) => key !== 'tool_spend_usd_max') as (keyof typeof counted)[];
  return fc
    .record(counted, { requiredKeys: required as never[] })
    .map((caps) => ({ ...PROFILE_CAPS.research, ...(caps as typeof PROFILE_CAPS.research) }));
}

type Op =
  | { readonly kind: 'reserve'; readonly lane: number; readonly need: Need }
  | { readonly kind: 'charge'; readonly lane: number; readonly need: Need }
  | { readonly kind: 'settle'; readonly lane: number; readonly pick: number; readonly share: number }
  | { readonly kind: 'release'; readonly lane: number; readonly pick: number }
  | { readonly kind: 'extend'; readonly lane: number; readonly by: number }
  | { readonly kind: 'open'; readonly caps: BudgetCaps }
  | { readonly kind: 'close'; readonly lane: number };

const place = fc.nat({ max: 5 });
const ops: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reserve' as const), lane: place, need: needs }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('charge' as const), lane: place, need: needs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      lane: place,
      pick: place,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), lane: place, pick: place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('extend' as const), lane: place, by: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), caps: capsFrom(0, 9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), lane: place }) },
);

/** An account and its open reservations. Account 0 is the run, the others are its lanes. */
interface Account {
  readonly budget: Budget;
  readonly open: readonly Need[];
}

const shareOf = (need: Need, share: number): Need =>
  Object.fromEntries(Object.entries(need).map(([counter, most]) => [counter, Math.floor(most * share)]));

function apply(accounts: readonly Account[], op: Op): readonly Account[] {
  const [run] = accounts;
  if (run === undefined) return accounts;
  if (op.kind === 'open') {
    const caps = laneCaps(run.budget.caps, op.caps);
    const lane = reserve(run.budget, laneNeed(caps));
    if (!lane.ok) return accounts;
    return [{ ...run, budget: lane.budget }, ...accounts.slice(1), { budget: openBudget(caps), open: [] }];
  }
  const place = op.lane % accounts.length;
  const account = accounts[place];
  if (account === undefined) return accounts;
  if (op.kind === 'close') {
    if (place === 0) return accounts;
    const { caps, used, reserved } = account.budget;
    const { budget, overrun } = settle(run.budget, laneNeed(caps), laneSpent(add(used, reserved)));
    expect(overrun).toBeNull();
    return [{ ...run, budget }, ...accounts.slice(1).filter((_, index) => index !== place - 1)];
  }
  // The budget of a lane cannot be extended.
  if (op.kind === 'extend' && place > 0) return accounts;
  return accounts.with(place, onAccount(account, op));
}

function onAccount(account: Account, op: Exclude<Op, { kind: 'open' | 'close' }>): Account {
  const { budget, open } = account;
  if (op.kind === 'extend') return { open, budget: extend(budget, { tool_calls: op.by }, APPROVAL) };
  if (op.kind === 'reserve' || op.kind === 'charge') {
    const answer = op.kind === 'reserve' ? reserve(budget, op.need) : charge(budget, op.need);
    if (!answer.ok) return account;
    return { budget: answer.budget, open: op.kind === 'reserve' ? [...open, op.need] : open };
  }
  const index = op.pick % Math.max(1, open.length);
  const need = open[index];
  if (need === undefined) return account;
  const rest = open.filter((_, other) => other !== index);
  if (op.kind === 'release') return { budget: releaseReservation(budget, need), open: rest };
  const { budget: settled, overrun } = settle(budget, need, shareOf(need, op.share));
  expect(overrun).toBeNull();
  return { budget: settled, open: rest };
}

/** Accounts above a cap, below zero, or with a remainder other than cap minus used minus reserved. */
function overdrawn(accounts: readonly Account[]): string[] {
  return accounts.flatMap(({ budget }, place) => {
    const left = remaining(budget);
    return COUNTER_ROWS.filter(({ counter, dimension, scale }) => {
      const cap = budget.caps[`${dimension}_max`];
      if (cap === undefined) return false;
      const rest = Math.round(cap * scale) - budget.used[counter] - budget.reserved[counter];
      return rest < 0 || left[counter] !== rest || Math.min(budget.used[counter], budget.reserved[counter]) < 0;
    }).map(({ dimension }) => `account ${place}: ${dimension}`);
  });
}

/** Dimensions in which the run and its lanes together exceed the run's caps. Money is one sum: see `moveToolSpend`. */
function jointlyOverdrawn(accounts: readonly Account[]): string[] {
  const [run, ...lanes] = accounts;
  if (run === undefined) return [];
  const { caps } = run.budget;
  const taken = (counter: BudgetCounter): number => accounts.reduce((sum, { budget }) => sum + budget.used[counter], 0);
  const counts = COUNTER_ROWS.filter(({ counter, dimension, scale }) => {
    const together = taken(counter) + (counter === 'lanes' || counter === 'steps' ? lanes.length : 0);
    return scale === 1 && together > (caps[`${dimension}_max`] ?? Infinity);
  }).map(({ dimension }) => `together: ${dimension}`);
  const microusd = Math.round((caps.inference_cost_usd_max + (caps.tool_spend_usd_max ?? 0)) * 1_000_000);
  return taken('cost_microusd') + taken('tool_spend_microusd') > microusd ? [...counts, 'together: money'] : counts;
}

verifies('budget:unit-reservation:cannot-overshoot', 'no order of operations overdraws a run or its lanes', () => {
  const budget = charge(openBudget({ ...PROFILE_CAPS.research, output_tokens_max: 1_000 }), { output_tokens: 900 });
  expect(budget.ok && reserve(budget.budget, { output_tokens: 500 })).toMatchObject({ ok: false, left: 100 });
  fc.assert(
    fc.property(capsFrom(15, 40), fc.array(ops, { minLength: 20, maxLength: 60 }), (caps, list) => {
      let accounts: readonly Account[] = [{ budget: openBudget(caps), open: [] }];
      const broken: string[] = [];
      for (const op of list) {
        deepFreeze(accounts);
        accounts = apply(accounts, op);
        broken.push(...overdrawn(accounts), ...jointlyOverdrawn(accounts));
      }
      expect(broken).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('releasing and closing everything leaves nothing reserved', () => {
  fc.assert(
    fc.property(capsFrom(15, 40), fc.array(ops, { minLength: 10, maxLength: 40 }), (caps, list) => {
      let accounts: readonly Account[] = [{ budget: openBudget(caps), open: [] }];
      for (const op of list) accounts = apply(accounts, op);
      accounts = accounts.map(({ budget, open }) => ({
        budget: open.reduce((all, need) => releaseReservation(all, need), budget),
        open: [],
      }));
      while (accounts.length > 1) accounts = apply(accounts, { kind: 'close', lane: 1 });
      for (const counter of COUNTERS) expect(accounts[0]?.budget.reserved[counter]).toBe(0);
    }),
  );
});

test('a refusal reports a remainder that would be granted', () => {
  fc.assert(
    fc.property(capsFrom(0, 20), needs, needs, (caps, first, second) => {
      const opened = charge(openBudget(caps), first);
      const budget = opened.ok ? opened.budget : openBudget(caps);
      const answer = reserve(budget, second);
      if (answer.ok) return;
      const row = COUNTER_ROWS.find(({ dimension }) => dimension === answer.dimension);
      if (row === undefined) throw new Error(`no counter for ${answer.dimension}`);
      expect(answer.needed).toBeGreaterThan(answer.left);
      expect(reserve(budget, { [row.counter]: Math.round(answer.left * row.scale) }).ok).toBe(true);
    }),
  );
});
