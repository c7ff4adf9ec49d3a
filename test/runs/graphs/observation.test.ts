/** Tests that a captured observation reaches the state only through verification. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge, expectShut } from './edges.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:observation:capture-then-verify-exits';
const RECEIPT = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

const answering = (answer: () => null | { id?: string }, risk: 'low' | 'high' = 'low'): RigOptions => ({
  tools: { finish: { produces: ['done'], output_schema: RECEIPT, execute: answer } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
  agent: () => {
    const agent = agentFor(['finish']);
    return { ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) };
  },
});

const walked = async (options: RigOptions): Promise<readonly string[]> => {
  const bench = rig(options);
  const { runId } = await bench.invoke();
  return pathOf(kernelOf(options), await bench.events(runId));
};

const afterVerification = (path: readonly string[]): string | undefined =>
  path[path.indexOf('observation_verification') + 1];

verifies(ID, 'capture leads only to verification, and a verified observation to the state update', async () => {
  const options = answering(() => ({ id: 'r1' }));
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = kernelOf(options);
  const events = await bench.events(runId);
  const path = pathOf(env, events);
  expect(path[path.indexOf('observation_capture') + 1]).toBe('observation_verification');
  expect(afterVerification(path)).toBe('state_update');
  const observed = before(env, events, 'step_verified');
  expectNoEdge(env, observed, 'observation_capture', 'state_update');
  expect(env.graph.exits('observation_capture')).toEqual(['human_approval', 'observation_verification', 'terminate']);
  expectShut(env, observed, 'observation_verification', 'state_update');
});

verifies(ID, 'repairs a failed verification while repairs are allowed', async () => {
  let calls = 0;
  const path = await walked(
    answering(() => {
      calls += 1;
      return calls === 1 ? {} : { id: 'r1' };
    }),
  );
  expect(afterVerification(path)).toBe('repair');
  expect(path.slice(-3)).toEqual(['completion_check', 'finalize', 'terminate']);
});

verifies(ID, 'escalates a failed verification at high risk at once', async () => {
  expect(afterVerification(await walked(answering(() => ({}), 'high')))).toBe('human_approval');
});
