import { expect, test } from 'vitest';
import { NO_COST } from '../../model/tool/tool.ts';
import { Cancellation } from '../../ports/cancellation.ts';
import type { EffectContext, OutsidePerformers, Sent } from './performers.ts';
import { withSimulation } from './simulation.ts';

const reached: string[] = [];
const outside = new Proxy({} as OutsidePerformers, {
  get: (_, kind) => async () => {
    reached.push(String(kind));
    return { event: { type: 'time_passed' }, blobs: [] };
  },
  ownKeys: () => [],
});
const journal = { load: async () => [] };
const context: EffectContext = { recall: new Cancellation(), onLateAnswer: () => undefined };
const call = {
  call_id: 'call_1',
  step_id: 'a',
  tool: 'pay',
  args: {},
  args_hash: 'h',
  idempotency_key: 'k',
  attempt: 1,
};

const ACTING: readonly (readonly [Sent, object, object])[] = [
  [
    'call_tool',
    { call, mode: 'destructive' },
    { type: 'step_observed', call_id: 'call_1', outcome: 'ok', raw: { paid: 1 } },
  ],
  [
    'call_tool',
    { call: { ...call, tool: 'other' }, mode: 'network' },
    { type: 'step_observed', outcome: 'error', raw: null },
  ],
  ['probe_step', { call, probe: 'look' }, { type: 'step_probed', probe: 'look', as_expected: true, spent: NO_COST }],
  ['reconcile_call', { call, probe: 'look' }, { type: 'call_reconciled', finding: 'did_not_happen' }],
  [
    'revoke_credentials',
    { revocation_id: 'rev_1', tools: [] },
    { type: 'credentials_revoked', outcome: 'unsupported' },
  ],
  [
    'write_memory',
    { entries: [{ entry_id: 'm_1' }] },
    { type: 'memory_written', written: [], failed: [{ entry_id: 'm_1' }] },
  ],
];

type Perform = (state: unknown, effect: unknown, context: EffectContext) => Promise<{ readonly event: object }>;

const performed = async (kind: Sent, effect: object, state: object): Promise<object> => {
  const perform = withSimulation(outside, journal)[kind] as unknown as Perform;
  return (await perform(state, { kind, ...effect }, context)).event;
};

test.each(ACTING)('%s of a simulated fork stays inside the process', async (kind, effect, answer) => {
  reached.length = 0;
  const fork = { parent: 'run_1', simulate: true, answers: { pay: { paid: 1 } } };
  expect(await performed(kind, effect, { fork })).toMatchObject(answer);
  expect(reached).toEqual([]);
});

test.each(ACTING)(
  '%s of a normal run, or of a fork with real side effects, reaches its performer',
  async (kind, effect) => {
    for (const state of [{}, { fork: { parent: 'run_1', simulate: false, answers: {} } }]) {
      reached.length = 0;
      await performed(kind, effect, state);
      expect(reached).toEqual([kind]);
    }
  },
);

test('performs real reads in a simulated fork', async () => {
  reached.length = 0;
  const state = { fork: { parent: 'run_1', simulate: true, answers: {} } };
  await performed('call_tool', { call, mode: 'read_only' }, state);
  expect(reached).toEqual(['call_tool']);
});
