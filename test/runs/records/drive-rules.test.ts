/** A run is driven by this process's rules, unless it was started with others or before rules were recorded. */
import { expect, test } from 'vitest';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { Frame } from '../../../src/model/events/frame.ts';
import type { PolicyJudge } from '../../../src/model/policy/policy-decision.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { DriveEnv } from '../../../src/session/drive.ts';
import { drivesByRules } from '../../../src/session/perform/drives-by-rules.ts';
import type { RunPins } from '../../../src/session/perform/effects.ts';
import { rulesBlob } from '../../../src/session/recorded-rules.ts';
import { RUN_BY_CODE } from '../endings/run-by-code.ts';
import { partsOf } from '../graphs/kernel.ts';

const TOOLS = { work: { produces: ['done'] } };

const CALLS: PolicyJudge = {
  version: 'policies@1',
  decide: () => ({ ok: true }) as never,
};

function driveBench(): {
  readonly pins: RunPins;
  readonly own: DriveEnv;
  readonly made: readonly RunPins[];
  drive(frames: readonly Frame[]): Promise<DriveEnv>;
} {
  const { pins: assembled, schemas } = partsOf({ tools: TOOLS });
  const { env } = assembled;
  const pins: RunPins = { ...assembled, env: { ...env, policy: { ...env.policy, calls: CALLS } } };
  const others = rulesBlob(withOtherLimits(pins.env));
  const journal = { blob: async (at: string) => (at === others.address ? others.text : '') } as unknown as Journal;
  const own = { own: true } as unknown as DriveEnv;
  const made: RunPins[] = [];
  const driveOf = drivesByRules(pins, journal, schemas, own, (decided) => {
    made.push(decided);
    return { made: made.length } as unknown as DriveEnv;
  });
  return { pins, own, made, drive: async (frames) => (await driveOf(frames)).drive };
}

const withOtherLimits = (env: KernelEnv): KernelEnv => ({ ...env, limits: { ...env.limits, gateTtlMs: 7_000 } });

const EVENTS = RUN_BY_CODE.SUCCESS().events;

/** A journal that holds one event of a real run, with these changes. */
function framesOf({ registry, catalogVersion, agent }: RunPins, type: RunEvent['type'], change: object = {}) {
  const versions = { tool_registry_version: registry.version, decision_catalog_version: catalogVersion };
  const pinned = { ...versions, autonomy_boundary: agent.boundary };
  const events = EVENTS.filter((event) => event.type === type).map((event) => ({
    ...event,
    ...(event.type === 'run_initialized' ? { context: undefined, manifest: { ...event.manifest, ...pinned } } : {}),
    ...change,
  }));
  return [{ session: 'run_1', seq: 1, events: JSON.stringify(events) }] as unknown as readonly Frame[];
}

test("a run that has not started, or started with the same rules, uses this process's rules", async () => {
  const { pins, own, made, drive } = driveBench();
  expect(await drive(framesOf(pins, 'goal_received'))).toBe(own);
  expect(await drive(framesOf(pins, 'run_initialized', { decided_by: rulesBlob(pins.env).address }))).toBe(own);
  expect(made).toEqual([]);
});

test('a run started with other rules uses those, created once', async () => {
  const { pins, own, made, drive } = driveBench();
  const frames = framesOf(pins, 'run_initialized', { decided_by: rulesBlob(withOtherLimits(pins.env)).address });
  const first = await drive(frames);
  expect(first).not.toBe(own);
  expect(await drive(frames)).toBe(first);
  expect(made.map(({ env }) => env.limits.gateTtlMs)).toEqual([7_000]);
});

test('a run from before rules were recorded uses its policies without `consider`', async () => {
  const { pins, made, drive } = driveBench();
  await drive(framesOf(pins, 'run_initialized', { decided_by: undefined }));
  expect(made.map(({ env }) => env.policy.calls)).toStrictEqual([
    { version: CALLS.version, decide: expect.any(Function) },
  ]);
  expect(made.map(({ env }) => env.limits)).toEqual([pins.env.limits]);
});
