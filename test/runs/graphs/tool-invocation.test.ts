/** Tests that only the orchestrator calls tools, and that every result of a call is captured. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, planOf, type RigOptions, rig } from '../rig.ts';
import { kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:tool-invocation:orchestrator-executes';
const PLANS = [planOf([{ id: 'a', tool: 'finish' }])];

verifies(ID, 'gives the planner no function and no credential', async () => {
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: PLANS });
  await bench.invoke();
  const [request] = bench.planner.requests;
  const functions: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value === 'function') functions.push(path);
    else if (typeof value === 'object' && value !== null)
      for (const [key, child] of Object.entries(value)) look(child, `${path}/${key}`);
  };
  look(request, '');
  expect(functions).toEqual([]);
  expect(JSON.stringify(request)).not.toMatch(/credential|secret|api_?key|expires_at/i);
  expect(request?.tools.map(({ name }) => name)).toEqual(['finish']);
});

const failures: readonly [string, RigOptions['tools'], string, string][] = [
  ['throws', { finish: { execute: () => Promise.reject(new Error('boom')), retries_max: 0 } }, 'error', 'boom'],
  ['never answers', { finish: { execute: neverAnswers, retries_max: 0 } }, 'timeout', 'no answer within 10000 ms'],
];
for (const [what, tools, outcome, detail] of failures) {
  verifies(ID, `a tool that ${what} leads to observation capture`, async () => {
    const options: RigOptions = { tools: tools ?? {}, plans: PLANS, options: { limits: { onEscalate: 'end' } } };
    const bench = rig(options);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    const path = pathOf(kernelOf(options), events);
    expect(path[path.indexOf('tool_invocation') + 1]).toBe('observation_capture');
    expect(events.find((event) => event.type === 'step_observed')).toMatchObject({ outcome, detail, raw: null });
  });
}
