/** Tests that a resumed run continues with the remaining budget. */
import { expect } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { ambit } from '../../../src/compose.ts';
import { remaining } from '../../../src/kernel/budget/view.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { Ambit } from '../../../src/runtime/ambit.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, CAPS, operator, planOf, REQUEST, type RigOptions, toolSpec } from '../rig.ts';
import { crashDuringCall, restartProcess } from './crashed-process.ts';

const PLAN = planOf([{ id: 's1', tool: 'finish' }]);

/** A runtime whose planner spends 2,720 of 10,000 tokens and whose plan needs an approval. */
function process(journal: Journal, plans: readonly Plan[]): Ambit {
  const spent = { input_tokens: 2_720, output_tokens: 0, microusd: 0 };
  return ambit({
    agent: agentFor(['finish'], { ...CAPS, input_tokens_max: 10_000 }),
    tools: [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }],
    planner: scriptedPlanner(plans, { spent }),
    graph: 'supervised',
    limits: { plannerCost: { ...spent, input_tokens: 3_000 } },
    world: { journal },
  });
}

async function tokensLeft(runtime: Ambit, runId: string): Promise<number> {
  const { state } = await runtime.records.replay(runId);
  if (state.budget === null) throw new Error('the run has no budget');
  return remaining(state.budget).input_tokens;
}

verifies('resume:budget:original-minus-used', 'has 7,280 of 10,000 tokens left after 2,720 were used', async () => {
  const journal = memoryJournal({ hash: sha256 });
  const { runId, pending } = await process(journal, [PLAN]).invoke(REQUEST);
  const second = process(journal, []);
  await second.resume(runId);
  expect(await tokensLeft(second, runId)).toBe(7_280);
  const { gateId, packetHash } = pending[0] ?? { gateId: '', packetHash: '' };
  const done = await second.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' });
  expect(done.terminalCode).toBe('SUCCESS');
  expect(await tokensLeft(second, runId)).toBe(7_280);
});

verifies('resume:budget:original-minus-used', 'charges a call that was in flight when the process died', async () => {
  const options: RigOptions = {
    tools: { one: {}, two: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 's1', tool: 'one' },
        { id: 's2', tool: 'two', depends_on: ['s1'] },
      ]),
    ],
    caps: { ...CAPS, tool_calls_max: 7, steps_max: 9 },
  };
  const second = restartProcess(await crashDuringCall('two', options), { ...options, plans: [] });
  const { state: found } = await second.runtime.records.replay('run_1');
  expect(found.budget).toMatchObject({ used: { tool_calls: 1 }, reserved: { tool_calls: 1 } });
  await second.settle(second.runtime.resume('run_1'));
  const { state: done } = await second.runtime.records.replay('run_1');
  if (done.budget === null) throw new Error('the run has no budget');
  expect(remaining(done.budget)).toMatchObject({ tool_calls: 4, steps: 7 });
});
