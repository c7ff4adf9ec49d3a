/** With which rules a run is driven: with those of this process, unless it was begun with others, or before any were kept. */
import { expect, test } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import type { Frame } from '../../../src/model/frame.ts';
import type { PolicyJudge } from '../../../src/model/policy-decision.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import { decidedBy } from '../../../src/session/decided-by.ts';
import type { DriveEnv } from '../../../src/session/drive.ts';
import { drivesByRules } from '../../../src/session/drives-by-rules.ts';
import type { RunPins } from '../../../src/session/effects.ts';
import { partsOf } from '../graphs/kernel.ts';

const TOOLS = { work: { produces: ['done'] } };

/** Policies that say what they looked at, which runs that were begun before that were not ruled by. */
const CALLS: PolicyJudge = {
  version: 'policies@1',
  decide: () => ({ ok: true }) as never,
  consider: () => ({}) as never,
};

function driving(): {
  readonly pins: RunPins;
  readonly own: DriveEnv;
  readonly made: readonly RunPins[];
  drive(frames: readonly Frame[]): Promise<DriveEnv>;
} {
  const { pins: assembled } = partsOf({ tools: TOOLS });
  const { env } = assembled;
  const pins: RunPins = { ...assembled, env: { ...env, policy: { ...env.policy, calls: CALLS } } };
  const others = decidedBy(othersOf(pins.env));
  const journal = { blob: async (at: string) => (at === others.address ? others.text : '') } as unknown as Journal;
  const own = { own: true } as unknown as DriveEnv;
  const made: RunPins[] = [];
  const drive = drivesByRules(pins, journal, own, (decided) => {
    made.push(decided);
    return { made: made.length } as unknown as DriveEnv;
  });
  return { pins, own, made, drive };
}

const othersOf = (env: KernelEnv): KernelEnv => ({ ...env, limits: { ...env.limits, gateTtlMs: 7_000 } });

const framesOf = (...events: readonly object[]): readonly Frame[] =>
  [{ events: JSON.stringify(events) }] as unknown as readonly Frame[];

test('a run that has not begun, or was begun with the same, is driven with what this process has', async () => {
  const { pins, own, made, drive } = driving();
  expect(await drive(framesOf({ type: 'goal_received' }))).toBe(own);
  expect(await drive(framesOf({ type: 'run_initialized', decided_by: decidedBy(pins.env).address }))).toBe(own);
  expect(made).toEqual([]);
});

test('one that was begun with others is driven with those, made once for all of them', async () => {
  const { pins, own, made, drive } = driving();
  const frames = framesOf({ type: 'run_initialized', decided_by: decidedBy(othersOf(pins.env)).address });
  const first = await drive(frames);
  expect(first).not.toBe(own);
  expect(await drive(frames)).toBe(first);
  expect(made.map(({ env }) => env.limits.gateTtlMs)).toEqual([7_000]);
});

test('one that was begun before that was kept has its policies asked as they were then', async () => {
  const { pins, made, drive } = driving();
  await drive(framesOf({ type: 'run_initialized' }));
  expect(made.map(({ env }) => env.policy.calls)).toStrictEqual([
    { version: CALLS.version, decide: expect.any(Function) },
  ]);
  expect(made.map(({ env }) => env.limits)).toEqual([pins.env.limits]);
});
