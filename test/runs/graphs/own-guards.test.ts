/** Tests guards of a host: they are compiled and pinned, a run moves by them, and replay needs the same version. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type OwnGuard, type OwnGuards, STANDARD_GRAPHS } from '../../../src/graph.ts';
import type { GraphSpec } from '../../../src/model/plan/graph.ts';
import { openJournal, storeTools } from '../../../src/store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const NAME = 'refund.is_small@1';

/** `plan_first` with this guard on the edge between these nodes. */
function graphWith(guard: string, from = 'tool_eligibility', to = 'tool_invocation'): GraphSpec {
  const { edges, guards, ...graph } = STANDARD_GRAPHS.plan_first;
  return {
    ...graph,
    name: 'careful_refunds',
    edges: edges.map((edge) => (edge.from === from && edge.to === to ? { ...edge, guard } : edge)),
    guards: [...guards, { guard, deterministic: true, evaluated_by: 'kernel' }],
  };
}

const isSmall: OwnGuard = ({ step }) => Number(step?.args['amount']) <= 50;
const refund = (amount: number) => planOf([{ id: 's1', tool: 'refund', params: { amount } }]);
const TOOLS: NonNullable<RigOptions['tools']> = { refund: { produces: ['done'] } };

const open = (guard: OwnGuard, amount: number, changes: Partial<RigOptions> = {}): Rig =>
  rig({
    tools: TOOLS,
    plans: [refund(amount)],
    options: { graph: graphWith(NAME), guards: { [NAME]: guard } },
    ...changes,
  });

verifies(
  'graph:guards:user-supplied',
  'a run moves by the guard, records it and replays to the same bytes',
  async () => {
    const seen: unknown[] = [];
    const watched: OwnGuard = (view) => {
      const { intent, risk, goal, step, plan, committed, evidence, remaining } = view;
      seen.push([intent, risk, goal, step, plan?.steps.length, committed, evidence, remaining['tool_calls']]);
      return isSmall(view);
    };
    const bench = open(watched, 20);
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.map(({ args }) => args)).toEqual([{ amount: 20 }]);
    const begun = (await bench.events(outcome.runId)).find((event) => event.type === 'run_initialized');
    expect(begun).toMatchObject({ manifest: { guards: [NAME] } });
    const step = { id: 's1', tool: 'refund', args: { amount: 20 } };
    expect(seen[0]).toEqual(['work', 'low', 'Do the work', step, 1, {}, [], expect.any(Number)]);
    seen.length = 0;
    expect(await bench.runtime.records.replay(outcome.runId)).toBeDefined();
    expect(seen).not.toEqual([]);
  },
);

describe('a guard that refuses ends the run before its call', () => {
  const refusals: Readonly<Record<string, OwnGuard>> = {
    'by false': isSmall,
    'by a throw': () => {
      throw new Error('not today');
    },
    'by a promise': (() => Promise.resolve(true)) as unknown as OwnGuard,
    'by another value': (() => 'yes') as unknown as OwnGuard,
    'by changing the state': ({ step }) => {
      (step?.args as { amount: number }).amount = 1;
      return true;
    },
  };
  for (const [name, guard] of Object.entries(refusals)) {
    verifies('graph:guards:user-supplied', name, async () => {
      const bench = open(guard, 900);
      const outcome = await bench.invoke();
      expect(outcome).toMatchObject({ terminalCode: 'REVIEW_REQUIRED', reason: 'guard_refused' });
      expect(JSON.stringify(await bench.events(outcome.runId))).toContain(
        `${NAME} does not hold from tool_eligibility to tool_invocation`,
      );
      expect(bench.dispatches).toEqual([]);
      expect(await bench.runtime.records.replay(outcome.runId)).toBeDefined();
    });
  }
});

verifies('graph:guards:user-supplied', 'a guard on the way from validation sends a plan to its gate', async () => {
  const { edges, ...graph } = graphWith(NAME, 'plan_validation', 'action_selection');
  const pending = 'plan_pending_approval@1';
  const supervised: GraphSpec = {
    ...graph,
    edges: [...edges, { from: 'plan_validation', to: 'human_approval', guard: pending, owner: 'orchestrator' }],
    guards: [...graph.guards, { guard: pending, deterministic: true, evaluated_by: 'kernel' }],
  };
  const isSmallOrApproved: OwnGuard = ({ plan, approved }) =>
    approved || plan?.steps.every(({ params }) => Number(params?.['amount']) <= 50) === true;
  const plans = [refund(20), refund(900)];
  const bench = rig({ tools: TOOLS, plans, options: { graph: supervised, guards: { [NAME]: isSmallOrApproved } } });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_PLAN_APPROVAL' }] });
  expect(bench.dispatches).toHaveLength(1);
  const [gate] = waiting.pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'seen' };
  const approved = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  expect(approved).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(2);
  expect(await bench.runtime.records.replay(approved.runId)).toBeDefined();
});

test('verify says before a run that a guard refuses its plan', async () => {
  const bench = rig({
    tools: TOOLS,
    options: { graph: graphWith(NAME, 'action_selection', 'tool_eligibility'), guards: { [NAME]: () => false } },
  });
  expect(await bench.runtime.verify(refund(1))).toMatchObject({
    verdict: 'ok',
    handover: { code: 'REVIEW_REQUIRED', reason: 'guard_refused' },
  });
});

describe('another version of the guard', () => {
  const GATED: NonNullable<RigOptions['tools']> = {
    refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_REFUND'], produces: ['done'] },
  };
  const plan = planOf([{ id: 's1', tool: 'refund', params: { amount: 20 }, requires: ['GATE_REFUND'] }]);
  const NEWER = 'refund.is_small@2';

  /** A run that waits at its gate, and the same store opened with other guards. */
  async function deploy(guards: OwnGuards, guard = NEWER) {
    const world = { journal: memoryJournal({ hash: sha256 }) };
    const before = open(isSmall, 0, { tools: GATED, plans: [plan], world });
    const waiting = await before.invoke();
    const after = rig({ tools: GATED, world, options: { graph: graphWith(guard), guards } });
    const [gate] = waiting.pending;
    const approve = () =>
      after.settle(
        after.runtime.approve(gate?.gateId ?? '', {
          packetHash: gate?.packetHash ?? '',
          credential: operator('lead_1'),
          reason: 'seen',
        }),
      );
    return { runId: waiting.runId, after, approve };
  }

  verifies('graph:guards:user-supplied', 'is refused at resume with both versions named', async () => {
    const { after, approve, runId } = await deploy({ [NEWER]: isSmall });
    const refused = {
      code: 'version_changed',
      message: expect.stringContaining(`the run was made with guard ${NAME}, but this process has ${NEWER}`),
    };
    await expect(approve()).rejects.toMatchObject(refused);
    expect(after.dispatches).toEqual([]);
    const cancel = { type: 'run_cancelled', by: 'agt_worker', reason: 'no longer needed' };
    expect(await after.runtime.sessions.send(runId, cancel)).toMatchObject({ terminalCode: 'USER_CANCEL' });
  });

  test('does not matter while the earlier version is there too', async () => {
    const { after, approve } = await deploy({ [NEWER]: () => false, [NAME]: isSmall });
    expect(await approve()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(after.dispatches).toHaveLength(1);
  });

  verifies('graph:guards:user-supplied', 'cannot re-derive the run, and replay names the missing one', async () => {
    const world = { journal: memoryJournal({ hash: sha256 }) };
    const { runId } = await open(isSmall, 20, { world }).invoke();
    const cases: readonly (readonly [RigOptions['options'], here: string])[] = [
      [{}, 'no such guard'],
      [{ graph: graphWith(NEWER), guards: { [NEWER]: isSmall } }, NEWER],
    ];
    for (const [options = {}, here] of cases) {
      const other = rig({ tools: TOOLS, world, options });
      await expect(other.runtime.records.replay(runId)).rejects.toMatchObject({
        code: 'replay_input_missing',
        message: `cannot re-derive this run: the run was made with guard ${NAME}, but this process has ${here}`,
      });
      await expect(other.runtime.sessions.get(runId)).rejects.toMatchObject({ code: 'version_changed' });
    }
  });
});

describe('ambit() refuses', () => {
  const refusal = (options: NonNullable<RigOptions['options']>): unknown => {
    try {
      return rig({ tools: TOOLS, options });
    } catch (error) {
      return error;
    }
  };

  test.each([
    ['a name without a version', { is_small: isSmall }, '/guards/is_small'],
    ['a shipped name', { 'plan_approved@9': isSmall }, '/guards/plan_approved@9'],
    ['a value', { [NAME]: true as unknown as OwnGuard }, `/guards/${NAME}`],
    ['an async function', { [NAME]: (async () => true) as unknown as OwnGuard }, `/guards/${NAME}`],
  ])('%s', (_, guards, path) => {
    expect(refusal({ guards })).toMatchObject({ code: 'input_invalid', path });
  });

  test('a graph without its guard, and a guard on an edge that records a call', () => {
    expect(refusal({ graph: graphWith(NAME) })).toMatchObject({
      code: 'graph_invalid',
      message: expect.stringContaining(`the guard ${NAME}, which is not supplied`),
    });
    const graph = graphWith(NAME, 'tool_invocation', 'observation_capture');
    expect(refusal({ graph, guards: { [NAME]: isSmall } })).toMatchObject({
      code: 'graph_invalid',
      message: expect.stringContaining(`${NAME} from tool_invocation to observation_capture`),
    });
  });
});

test('a check of the store derives the rows of such a run with its guards, and names a guard that is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-guards-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'guarded.db');
  const journal = openJournal(`sqlite:${file}`);
  const bench = open(isSmall, 20, { world: { journal } });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  await journal.close();

  expect(storeTools.check(file, { guards: { [NAME]: isSmall } })).toMatchObject({ problems: [], unverified: [] });
  expect(storeTools.check(file).unverified).toEqual([
    {
      place: `/sessions/${runId}`,
      message: `the run was made with guard ${NAME}, but this process has no such guard: pass it in guards`,
    },
  ]);

  const db = new DatabaseSync(file);
  db.exec("update sessions set node = 'plan'");
  db.close();
  expect(storeTools.check(file, { guards: { [NAME]: isSmall } }).problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('node'),
  ]);
});
