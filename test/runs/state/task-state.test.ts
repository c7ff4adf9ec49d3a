/** Task state is owned by the system: it is shown read-only, and every version is kept. */
import { expect } from 'vitest';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { PlanRequest } from '../../../src/ports/model/planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type Behaviour, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const ID = 'state:task-state:system-owned-versioned';

/** Tries to write to every field, at every depth. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    vandalise(child);
    try {
      (value as Record<string, unknown>)[key] = 'vandalised';
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

const PLAN = planOf([
  { id: 'a', tool: 'read', params: { depth: { deeper: [1, 2] } } },
  { id: 'b', tool: 'finish', depends_on: ['a'], params: { seen: { $from: 'a', path: '/kept' } } },
]);

function benchOf(read: Behaviour, planner: (request: PlanRequest) => unknown): Rig {
  const spent = NO_COST;
  const propose = async (request: PlanRequest): Promise<object> => ({
    proposal: planner(request),
    author: 'model',
    spent,
    contextTokens: 0,
  });
  const options = { planner: { propose } } as NonNullable<RigOptions['options']>;
  return rig({ tools: { read: { execute: read }, finish: { produces: ['done'] } }, options });
}

verifies(ID, 'changes that a planner or tool makes to its input do not reach the state', async () => {
  const answer = { kept: { value: 'as read' } };
  const plan = structuredClone(PLAN);
  const bench = benchOf(
    (args) => {
      vandalise(args);
      vandalise(plan);
      return answer;
    },
    (request) => {
      vandalise(request);
      return plan;
    },
  );
  const running = bench.invoke({ inputs: { order: { id: 'ord_1' } } });
  const outcome = await running;
  vandalise(answer);
  expect(outcome.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches[1]).toMatchObject({ tool: 'finish', args: { seen: { value: 'as read' } } });
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(state.intake.answers).toEqual({ order: { id: 'ord_1' } });
  expect(state.planning.active?.plan).toEqual(PLAN);
  expect(JSON.stringify(await bench.events(outcome.runId))).not.toContain('vandalised');
});

verifies(ID, 'each verified transition adds one version, and older versions stay readable', async () => {
  const bench = benchOf(
    () => ({ kept: { value: 1 } }),
    () => PLAN,
  );
  const { runId } = await bench.invoke();
  const { turns } = await bench.runtime.records.replay(runId);
  const versions = turns.map(({ state }) => state.work.version);
  expect(versions).toEqual([0, 0, 1, 2]);
  const [, first, second, last] = turns;
  expect(first?.state.work.evidenceByType).toEqual({});
  expect(second?.state.work.evidence.size).toBe(1);
  expect(last?.state.work.evidenceByType).toEqual({ done: 'ev_2' });
  expect(first?.state.work).not.toBe(second?.state.work);
});
