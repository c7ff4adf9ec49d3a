/** Inputs in the journal: forged clearances are refused, and older runs keep their rule. */
import { expect, test } from 'vitest';
import { sqliteVault } from '../../../src/adapters/sqlite/vault/sqlite-vault.ts';
import { resolveStepInputs } from '../../../src/kernel/query/plan/step-inputs.ts';
import type { Fault } from '../../../src/model/fault/fault.ts';
import { eventsOf } from '../endings/turns.ts';
import { fold, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { inputTools, LOOKUP } from './bench.ts';

const COUNT = { id: 's2', tool: 'count', inputs: ['order'], depends_on: ['s1'] } as const;

const OPTIONS: RigOptions = { tools: inputTools(() => ({ total: 5 })).tools, plans: [planOf([LOOKUP, COUNT])] };

/** The recorded run up to the clearance of the step with inputs. */
async function beforeClearance() {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const cleared = eventsOf(events, 'step_cleared').at(-1);
  if (cleared === undefined) throw new Error('no call was cleared');
  const env = kernelOf(OPTIONS);
  const state = fold(env, events.slice(0, events.indexOf(cleared))).at(-1);
  if (state === undefined) throw new Error('no events');
  return { env, state, cleared };
}

test('refuses a clearance with other inputs, or without them', async () => {
  const { env, state, cleared } = await beforeClearance();
  const { inputs, ...without } = cleared;
  expect(inputs).toEqual({ order: 'ev_1' });
  const faultOf = (event: typeof cleared): Fault | undefined => offer(env, state, event)[2];
  expect(faultOf(cleared) ?? null).toBeNull();
  expect(faultOf({ ...cleared, inputs: { order: 'ev_2' } })?.message).toContain('other arguments');
  expect(faultOf(without)?.message).toContain('other arguments');
});

test('a run recorded without the rule delivers nothing', async () => {
  const { env, state } = await beforeClearance();
  if (state.manifest === null) throw new Error('no manifest');
  expect(resolveStepInputs(env, state, 1, COUNT)).toMatchObject({ ok: true, call: { inputs: [{ key: 'order' }] } });
  const rules = (state.manifest.rules ?? []).filter((rule) => rule !== 'inputs_delivered');
  const older = { ...state, manifest: { ...state.manifest, rules } };
  expect(resolveStepInputs(env, older, 1, COUNT)).toEqual({ ok: true, call: {} });
});

test('a key without a committed result is a problem of the step', async () => {
  const { env, state } = await beforeClearance();
  expect(resolveStepInputs(env, state, 1, { ...COUNT, inputs: ['other'] })).toMatchObject({ ok: false, key: 'other' });
});

test('sealed parts of an input stay handles', async () => {
  const { tools, received } = inputTools(() => ({ mail: 'ada@example.org', total: 5 }));
  const bench = rig({
    tools: { ...tools, lookup: { ...tools['lookup'], privacy: { seals: ['/mail'] } } },
    plans: [planOf([LOOKUP, COUNT])],
    world: { vault: sqliteVault(':memory:', { unprotected: true }) },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const value = received[0]?.inputs[0]?.value;
  expect(value).toEqual({ mail: expect.stringMatching(/^sealed:v1:/), total: 5 });
});

test('a replanned step runs again if it names other inputs, and not if it names the same', async () => {
  const broken = { retries_max: 0, execute: () => Promise.reject(new Error('out of order')) };
  const end = { id: 's3', tool: 'broken', depends_on: ['s2'] } as const;
  const finish = { id: 's4', tool: 'finish', depends_on: ['s2'] } as const;
  const other = { ...LOOKUP, id: 's0', context_key: 'other', params: { n: 2 } };
  const counts = async (second: object): Promise<number> => {
    const { tools, received } = inputTools(() => ({ total: 5 }));
    const { count, ...rest } = tools;
    const bench = rig({
      tools: { ...rest, count: { ...count, produces: ['COUNT'] }, broken, finish: { produces: ['done'] } },
      plans: [
        planOf([LOOKUP, other, COUNT, end]),
        planOf([LOOKUP, other, { ...COUNT, ...second }, finish], { plan_id: 'plan_2' }),
      ],
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    return received.length;
  };
  expect(await counts({})).toBe(1);
  expect(await counts({ inputs: ['order', 'other'] })).toBe(2);
});
