/**
 * A bundle contains the runs of a run's lanes: all of them replay after an import, and bundles of one run stay
 * readable.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import type { PlanStep } from '../../src/model/plan/plan.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import { benchAgent, benchLane, LANE_BUDGET, type LaneRig, laneRig } from '../runs/lanes/bench.ts';
import { CAPS, operator, planOf, type Rig, rig } from '../runs/rig.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 5, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });

/** An unrelated agent without lanes and without these tools. */
const elsewhere = (): Rig => rig({ tools: { other: { produces: ['done'] } }, options: { graph: 'supervised' } });

/** Three runs, each a lane of the one before. */
function nested(): LaneRig {
  const reader = benchAgent({
    name: 'reader',
    tools: { look: { produces: ['done'], execute: () => ({ found: 42 }) } },
    plans: [planOf([step('r', 'look')])],
  });
  const clerk = benchAgent({
    name: 'clerk',
    tools: {},
    lanes: [benchLane('ask', reader)],
    caps: LANE_CAPS,
    plans: [planOf([step('c', 'ask')])],
  });
  const below = {
    ...LANE_BUDGET,
    stepsMax: 20,
    toolCallsMax: 20,
    lanesMax: 2,
    inputTokensMax: 5_000,
    outputTokensMax: 5_000,
  };
  const delegate = benchLane('delegate', clerk, {
    budget: { ...below, externalApiCallsMax: 20, inferenceCostUsdMax: 5 },
  });
  const boss = benchAgent({
    name: 'boss',
    tools: {},
    lanes: [delegate],
    caps: LANE_CAPS,
    plans: [planOf([step('s1', 'delegate')])],
  });
  return laneRig([boss]);
}

const traced = async (runtime: Ambit, runIds: readonly string[]): Promise<readonly unknown[]> => {
  const traces: unknown[] = [];
  for (const runId of runIds) {
    await runtime.records.replay(runId);
    traces.push([
      await runtime.records.trace(runId),
      await runtime.records.account(runId),
      await runtime.records.frames(runId),
    ]);
  }
  return traces;
};

test('includes lanes of lanes, which replay separately and can be exported again', async () => {
  const bench = nested();
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const lanes = await bench.lanes(runId);
  expect(lanes).toHaveLength(2);
  const file = await bench.runtime.records.export(runId);
  const there = elsewhere();
  const brought = await there.runtime.records.import(file);
  expect(brought).toMatchObject({ runId, wasHere: false });
  expect(brought.lanes.toSorted()).toEqual(lanes.toSorted());
  expect(await there.runtime.sessions.list()).toHaveLength(3);
  const original = await traced(bench.runtime, [runId, ...lanes]);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(original);
  for (const lane of lanes) {
    expect(await there.runtime.records.imported(lane)).toMatchObject({ run_id: lane });
    expect(await there.runtime.sessions.get(lane)).toEqual(await bench.runtime.sessions.get(lane));
  }
  expect((await there.runtime.records.verify()).damaged).toEqual([]);
  expect(await there.runtime.records.import(file)).toMatchObject({ wasHere: true });
  const third = elsewhere();
  await third.runtime.records.import(await there.runtime.records.export(runId));
  expect(await traced(third.runtime, [runId, ...lanes])).toEqual(original);
});

test('includes parallel steps and lanes that ended before planning', async () => {
  const produces = ['done'];
  const bench = rig({
    tools: { north: {}, south: {}, report: { produces } },
    plans: [planOf([step('a', 'north'), step('b', 'south'), step('c', 'report', { depends_on: ['a', 'b'] })])],
    caps: LANE_CAPS,
    options: { limits: { parallelSteps: 2 } },
  });
  const { runId } = await bench.invoke();
  const there = elsewhere();
  const { lanes } = await there.runtime.records.import(await bench.runtime.records.export(runId));
  expect(lanes).toHaveLength(2);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(await traced(bench.runtime, [runId, ...lanes]));

  // The lane's request is rejected at intake, so the run never records the rules it would use.
  const shut = benchAgent({ name: 'shut', tools: { look: { produces } }, plans: [] });
  const plans = [planOf([step('s1', 'delegate')]), planOf([step('s2', 'report')], { plan_id: 'plan_2' })];
  const lane = benchLane('delegate', shut, { task: { goal: () => 'Delete your logs' } });
  const knocking = laneRig([
    benchAgent({ name: 'boss', tools: { report: { produces } }, lanes: [lane], caps: LANE_CAPS, plans }),
  ]);
  const knocked = await knocking.invoke();
  const [below = ''] = await knocking.lanes(knocked.runId);
  expect(await knocking.of(below, 'run_initialized')).toEqual([]);
  const other = elsewhere();
  await other.runtime.records.import(await knocking.runtime.records.export(knocked.runId));
  expect(await traced(other.runtime, [below])).toEqual(await traced(knocking.runtime, [below]));
});

test('shows the gate of an imported lane, and refuses decisions on it', async () => {
  const payer = benchAgent({
    name: 'payer',
    tools: { pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } },
    plans: [planOf([step('p', 'pay', { requires: ['GATE_A'] })])],
  });
  const lane = benchLane('delegate', payer, {
    approvalMode: 'local_write',
    budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
  });
  const plans = [planOf([step('s1', 'delegate')])];
  const bench = laneRig([benchAgent({ name: 'boss', tools: {}, lanes: [lane], caps: LANE_CAPS, plans })]);
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const there = elsewhere();
  await there.runtime.records.import(await bench.runtime.records.export(runId));
  expect((await there.runtime.sessions.get(runId)).pending).toEqual(pending);
  expect(await there.runtime.gates.packet(packetHash)).toMatchObject({ action: 'pay' });
  const answer = { packetHash, credential: operator('ana'), reason: 'seen' };
  await expect(there.runtime.approve(gateId, answer)).rejects.toMatchObject({ code: 'state_write_refused' });
});

const linesOf = (file: Uint8Array): readonly string[] => gunzipSync(file).toString('utf8').split('\n').slice(0, -2);
const sealed = (lines: readonly string[]): Uint8Array => {
  const text = `${lines.join('\n')}\n`;
  return gzipSync(`${text}${JSON.stringify({ seal: `sha256:${sha256(text)}` })}\n`);
};
const isLane = (line: string): boolean => line.startsWith('{"lane"');
/** The bundle as a version without lanes wrote it. */
const alone = (lines: readonly string[]): readonly string[] => {
  const { lanes: _, ...header } = JSON.parse(lines[0] ?? '') as Readonly<Record<string, unknown>>;
  return [JSON.stringify({ ...header, version: 1 }), ...lines.slice(1, lines.findIndex(isLane))];
};

test('reads and writes a bundle of one run as before, and imports its lanes later', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const [lane = ''] = (await bench.runtime.records.trace(runId)).tool_calls.map((call) => call.lane?.run_id ?? '');
  const file = await bench.runtime.records.export(runId);
  const there = elsewhere();
  const before = sealed(alone(linesOf(file)));
  expect(await there.runtime.records.import(before)).toMatchObject({ runId, lanes: [], wasHere: false });
  await there.runtime.records.replay(runId);
  expect(await there.runtime.records.export(runId).then((again) => linesOf(again).slice(1))).toEqual(
    linesOf(before).slice(1),
  );
  await expect(there.runtime.records.replay(lane)).rejects.toMatchObject({ code: 'session_not_found' });
  expect(await there.runtime.records.import(file)).toMatchObject({ runId, wasHere: false });
  await there.runtime.records.replay(lane);
  expect(await there.runtime.records.import(before)).toMatchObject({ wasHere: true });
});

test('rejects an altered, missing, added or truncated lane with its place, and imports nothing', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const lines = linesOf(await bench.runtime.records.export(runId));
  // A valid run with its own id that is no lane of this run.
  const ids = { next: (prefix: string) => `${prefix}_strange` };
  const stranger = rig({
    tools: { other: { produces: ['done'] } },
    plans: [planOf([step('o', 'other')])],
    world: { ids },
  });
  const strange = linesOf(await stranger.runtime.records.export((await stranger.invoke()).runId));
  const first = lines.findIndex(isLane);
  const second = lines.findLastIndex(isLane);
  const { run_id, ...rest } = (JSON.parse(lines[first] ?? '') as { readonly lane: Readonly<Record<string, unknown>> })
    .lane;
  const {
    format: _,
    version: __,
    exported_at: ___,
    ...other
  } = JSON.parse(strange[0] ?? '') as Record<string, unknown>;
  const foreign = strange.slice(1).map((line) => line.replaceAll('"run_strange"', '"run_9"'));
  const cases: readonly (readonly [readonly string[], string])[] = [
    [lines.toSpliced(first + 1, 1), `/lanes/${String(run_id)}/frames/1`],
    [lines.with(first + 1, (lines[first + 1] ?? '').replace('reader', 'raeder').replace('clerk', 'klerk')), '/lanes/'],
    [lines.slice(0, second), '/lanes'],
    [[...lines, ...lines.slice(second)], '/lanes'],
    [[...lines.slice(0, second), ...lines.slice(first, second)], `/lanes/${String(run_id)}`],
    [lines.with(first, JSON.stringify({ lane: rest })), '/run_id'],
    [[...lines.slice(0, second), JSON.stringify({ lane: other }), ...strange.slice(1)], '/lanes/run_strange'],
    [alone(lines).concat(lines.slice(first)), '/lanes'],
    [[...alone(lines), ...foreign], '/frames/'],
  ];
  for (const [altered, path] of cases) {
    const there = elsewhere();
    const error = await there.runtime.records.import(sealed(altered)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'bundle_invalid', path: expect.stringContaining(path) });
    expect(await there.runtime.sessions.list()).toEqual([]);
  }
});

test('the same file completes an import that was interrupted among the lanes', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const file = await bench.runtime.records.export(runId);
  let left = 3;
  const there = elsewhere();
  const append = there.journal.append.bind(there.journal);
  const failing: Journal['append'] = async (frame) => {
    left -= 1;
    if (left < 0) throw new Fault('store_unavailable', 'the disk is full');
    return await append(frame);
  };
  const broken = rig({
    tools: { other: { produces: ['done'] } },
    world: { journal: { ...there.journal, append: failing } },
  });
  await expect(broken.runtime.records.import(file)).rejects.toMatchObject({ code: 'store_unavailable' });
  // The run is absent until its lanes are complete.
  expect(await there.journal.load(runId)).toEqual([]);
  const { lanes, wasHere } = await there.runtime.records.import(file);
  expect(wasHere).toBe(false);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(await traced(bench.runtime, [runId, ...lanes]));
});
