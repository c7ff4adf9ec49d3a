/** Journals of earlier versions are kept for ever, and every version replays all of them. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffRuns } from '../../../src/replay/diff-runs.ts';
import { rig } from '../../runs/rig.ts';
import { bundlesIn, changesIn, FOLDER, listed } from './kept.ts';
import { RECIPES, SMALL_CALLS } from './recipes.ts';

/** An agent unrelated to the journals, except for the call rules that decided one of them. */
const UNRELATED = { tools: { other: { produces: ['done'] } }, world: { policy: { calls: SMALL_CALLS } } };

const bytesOf = (name: string): Buffer => readFileSync(join(FOLDER, name));
const digests = (): ReadonlyMap<string, string> =>
  new Map(bundlesIn().map((name) => [name, hash('sha256', bytesOf(name), 'hex')]));

test('every recorded file is present and unchanged', () => {
  expect(changesIn(listed(), digests())).toEqual([]);
});

test('reports a deleted, a changed and an unlisted file differently', () => {
  const list = new Map([
    ['a.bundle', '1'],
    ['b.bundle', '2'],
  ]);
  expect(
    changesIn(
      list,
      new Map([
        ['a.bundle', '9'],
        ['c.bundle', '3'],
      ]),
    ),
  ).toEqual([
    expect.stringMatching(/^a.bundle was changed/),
    expect.stringMatching(/^b.bundle was deleted/),
    expect.stringMatching(/^c.bundle is not in/),
  ]);
});

test('there is a bundle of each kind', () => {
  const kinds = new Set(bundlesIn().map((name) => name.slice(0, name.indexOf('-'))));
  expect([...kinds].toSorted()).toEqual(Object.keys(RECIPES).toSorted());
});

for (const name of bundlesIn()) {
  test(`${name} replays to the same bytes, with its trace and its account`, async () => {
    const bench = rig(UNRELATED);
    const brought = await bench.runtime.records.import(bytesOf(name));
    expect(brought.lanes).toHaveLength(name.startsWith('lanes-') ? 2 : 0);
    for (const runId of [brought.runId, ...brought.lanes]) {
      const frames = await bench.runtime.records.frames(runId);
      const { turns, state } = await bench.runtime.records.replay(runId);
      expect(turns.map(({ events }) => JSON.stringify(events))).toEqual(frames.map(({ events }) => events));
      expect((await bench.runtime.records.trace(runId)).terminal_code).toBe(state.ending.terminal?.code);
      expect(await bench.runtime.records.account(runId)).toMatch(/^The run \S+ was allowed .*\.$/);
      expect((await bench.runtime.records.verify(runId)).damaged).toEqual([]);
    }
    expect(bench.dispatches).toEqual([]);
  });
}

test('a decision recorded with the plan alone equals the decision recorded with each call', async () => {
  const [withEachCall, asPlanned] = await Promise.all(
    ['policies-0.1.0.bundle', 'policies-0.1.0-as-planned.bundle'].map(async (name) => {
      const { runtime } = rig(UNRELATED);
      const { runId } = await runtime.records.import(bytesOf(name));
      return await runtime.records.frames(runId);
    }),
  );
  expect(diffRuns(withEachCall ?? [], asPlanned ?? [])).toMatchObject({ first: null, decisions: [] });
});

/** The event that a run of each kind has to contain. */
const MARKS: Readonly<Record<string, string>> = {
  gate: 'gate_decided',
  gates: 'gate_decided',
  judges: 'judges_answered',
  rollback: 'step_compensated',
  compressed: 'context_compressed',
  lanes: 'lane_returned',
  policies: 'step_cleared',
};

for (const [name, recipe] of Object.entries(RECIPES)) {
  test(`a run of the kind ${name} contains what it is recorded for`, async () => {
    const { bench, runId } = await recipe();
    const types = (await bench.events(runId)).map(({ type }) => type);
    const plans = types.filter((type) => type === 'plan_verified').length;
    if (name === 'replan') expect(plans).toBe(2);
    else if (name === 'reactive') expect(plans).toBeGreaterThan(1);
    else expect(types).toContain(MARKS[name]);
    expect(types.at(-1)).toBe('run_terminated');
  });
}
