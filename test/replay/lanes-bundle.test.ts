/** A run travels with the runs of its lanes: all of them replay where the file is brought, and bundles of one run are read as ever. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import type { Ambit } from '../../src/facade/ambit.ts';
import { Fault } from '../../src/model/fault.ts';
import type { PlanStep } from '../../src/model/plan.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { benchAgent, benchLane, LANE_BUDGET, type LaneRig, laneRig } from '../runs/lanes/bench.ts';
import { CAPS, operator, planOf, type Rig, rig } from '../runs/rig.ts';

const ROOM = { ...CAPS, lanes_max: 5, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });

/** Somebody else's agent, which has no lanes and none of these tools. */
const elsewhere = (): Rig => rig({ tools: { other: { produces: ['done'] } }, options: { graph: 'supervised' } });

/** Three runs, one below the other. */
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
    caps: ROOM,
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
    caps: ROOM,
    plans: [planOf([step('s1', 'delegate')])],
  });
  return laneRig([boss]);
}

const traced = async (runtime: Ambit, runIds: readonly string[]): Promise<readonly unknown[]> => {
  const traces: unknown[] = [];
  for (const runId of runIds) {
    await runtime.replay(runId);
    traces.push([await runtime.trace(runId), await runtime.account(runId), await runtime.frames(runId)]);
  }
  return traces;
};

test('lanes of lanes come along, replay by themselves, and travel on from there', async () => {
  const bench = nested();
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const lanes = await bench.lanes(runId);
  expect(lanes).toHaveLength(2);
  const file = await bench.runtime.exportRun(runId);
  const there = elsewhere();
  const brought = await there.runtime.importRun(file);
  expect(brought).toMatchObject({ runId, wasHere: false });
  expect(brought.lanes.toSorted()).toEqual(lanes.toSorted());
  expect(await there.runtime.sessions()).toHaveLength(3);
  const original = await traced(bench.runtime, [runId, ...lanes]);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(original);
  for (const lane of lanes) {
    expect(await there.runtime.imported(lane)).toMatchObject({ run_id: lane });
    expect(await there.runtime.outcome(lane)).toEqual(await bench.runtime.outcome(lane));
  }
  expect((await there.runtime.verifyChain()).damaged).toEqual([]);
  expect(await there.runtime.importRun(file)).toMatchObject({ wasHere: true });
  const third = elsewhere();
  await third.runtime.importRun(await there.runtime.exportRun(runId));
  expect(await traced(third.runtime, [runId, ...lanes])).toEqual(original);
});

test('steps that were worked on at once, and lanes that ended before they began to plan, come along as well', async () => {
  const produces = ['done'];
  const bench = rig({
    tools: { north: {}, south: {}, report: { produces } },
    plans: [planOf([step('a', 'north'), step('b', 'south'), step('c', 'report', { depends_on: ['a', 'b'] })])],
    caps: ROOM,
    options: { limits: { parallelSteps: 2 } },
  });
  const { runId } = await bench.invoke();
  const there = elsewhere();
  const { lanes } = await there.runtime.importRun(await bench.runtime.exportRun(runId));
  expect(lanes).toHaveLength(2);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(await traced(bench.runtime, [runId, ...lanes]));

  // What it is asked for is let in nowhere, so it never comes to say by what it is decided.
  const shut = benchAgent({ name: 'shut', tools: { look: { produces } }, plans: [] });
  const plans = [planOf([step('s1', 'delegate')]), planOf([step('s2', 'report')], { plan_id: 'plan_2' })];
  const lane = benchLane('delegate', shut, { task: { goal: () => 'Delete your logs' } });
  const knocking = laneRig([
    benchAgent({ name: 'boss', tools: { report: { produces } }, lanes: [lane], caps: ROOM, plans }),
  ]);
  const knocked = await knocking.invoke();
  const [below = ''] = await knocking.lanes(knocked.runId);
  expect(await knocking.of(below, 'run_initialized')).toEqual([]);
  const other = elsewhere();
  await other.runtime.importRun(await knocking.runtime.exportRun(knocked.runId));
  expect(await traced(other.runtime, [below])).toEqual(await traced(knocking.runtime, [below]));
});

test('a gate that a lane waits at is shown there, and decided by nobody there', async () => {
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
  const bench = laneRig([benchAgent({ name: 'boss', tools: {}, lanes: [lane], caps: ROOM, plans })]);
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const there = elsewhere();
  await there.runtime.importRun(await bench.runtime.exportRun(runId));
  expect((await there.runtime.outcome(runId)).pending).toEqual(pending);
  expect(await there.runtime.packet(packetHash)).toMatchObject({ action: 'pay' });
  const answer = { packetHash, credential: operator('ana'), reason: 'seen' };
  await expect(there.runtime.approve(gateId, answer)).rejects.toMatchObject({ code: 'state_write_refused' });
});

const linesOf = (file: Uint8Array): readonly string[] => gunzipSync(file).toString('utf8').split('\n').slice(0, -2);
const sealed = (lines: readonly string[]): Uint8Array => {
  const text = `${lines.join('\n')}\n`;
  return gzipSync(`${text}${JSON.stringify({ seal: `sha256:${sha256(text)}` })}\n`);
};
const isLane = (line: string): boolean => line.startsWith('{"lane"');
/** The same run as a version that knew of no lanes has written it. */
const alone = (lines: readonly string[]): readonly string[] => {
  const { lanes: _, ...header } = JSON.parse(lines[0] ?? '') as Readonly<Record<string, unknown>>;
  return [JSON.stringify({ ...header, version: 1 }), ...lines.slice(1, lines.findIndex(isLane))];
};

test('a bundle of one run is written and read as ever, and its lanes can be brought later', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const [lane = ''] = (await bench.runtime.trace(runId)).tool_calls.map((call) => call.lane?.run_id ?? '');
  const file = await bench.runtime.exportRun(runId);
  const there = elsewhere();
  const before = sealed(alone(linesOf(file)));
  expect(await there.runtime.importRun(before)).toMatchObject({ runId, lanes: [], wasHere: false });
  await there.runtime.replay(runId);
  expect(await there.runtime.exportRun(runId).then((again) => linesOf(again).slice(1))).toEqual(
    linesOf(before).slice(1),
  );
  await expect(there.runtime.replay(lane)).rejects.toMatchObject({ code: 'session_not_found' });
  expect(await there.runtime.importRun(file)).toMatchObject({ runId, wasHere: false });
  await there.runtime.replay(lane);
  expect(await there.runtime.importRun(before)).toMatchObject({ wasHere: true });
});

test('a lane that was altered, left out, put in or cut off is refused, with its place, and nothing is brought', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const lines = linesOf(await bench.runtime.exportRun(runId));
  // A whole run with an id of its own: nothing is wrong with it but that it is no lane.
  const ids = { next: (prefix: string) => `${prefix}_strange` };
  const stranger = rig({
    tools: { other: { produces: ['done'] } },
    plans: [planOf([step('o', 'other')])],
    world: { ids },
  });
  const strange = linesOf(await stranger.runtime.exportRun((await stranger.invoke()).runId));
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
    const error = await there.runtime.importRun(sealed(altered)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'bundle_invalid', path: expect.stringContaining(path) });
    expect(await there.runtime.sessions()).toEqual([]);
  }
});

test('an import that was broken off among the lanes is finished by the same file', async () => {
  const bench = nested();
  const { runId } = await bench.invoke();
  const file = await bench.runtime.exportRun(runId);
  let left = 3;
  const there = elsewhere();
  const append = there.journal.append.bind(there.journal);
  const failing: Journal['append'] = async (given) => {
    left -= 1;
    if (left < 0) throw new Fault('store_unavailable', 'the disk is full');
    return await append(given);
  };
  const broken = rig({
    tools: { other: { produces: ['done'] } },
    world: { journal: { ...there.journal, append: failing } },
  });
  await expect(broken.runtime.importRun(file)).rejects.toMatchObject({ code: 'store_unavailable' });
  // Nobody finds a run there whose lanes are still missing.
  expect(await there.journal.load(runId)).toEqual([]);
  const { lanes, wasHere } = await there.runtime.importRun(file);
  expect(wasHere).toBe(false);
  expect(await traced(there.runtime, [runId, ...lanes])).toEqual(await traced(bench.runtime, [runId, ...lanes]));
});
