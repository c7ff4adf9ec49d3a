/** The reactive planner selects graph and planning mode; contradicting options are rejected. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import { agent, ambit, planFirst, reactive } from '../../../src/compose.ts';
import { compile } from '../../../src/kernel/graph/compile.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../../src/kernel/query/guards.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { assembleHere } from '../graphs/assemble-here.ts';
import { type RigOptions, rig } from '../rig.ts';
import { decide, reactiveBench } from './bench.ts';

const TOOLS = { finish: { produces: ['done'] } };

verifies('route:mode:react-selects-reactive-routing', 'the planner selects its graph and planning mode', async () => {
  const bench = reactiveBench([decide('finish')], { tools: TOOLS });
  const run = await bench.invoke();
  const [state] = (await bench.states(run.runId)).slice(-1);
  expect(state?.manifest?.workflow_graph_version).toBe(compile(STANDARD_GRAPHS.reactive, GUARDS, sha256).hash);
  expect(state?.react.stepCount).toBe(1);
});

function refusal(options: object): Fault {
  try {
    rig({ tools: TOOLS, options: options as RigOptions['options'] & object });
  } catch (error) {
    if (Fault.is(error)) return error;
  }
  throw new Error('no fault was thrown');
}

test.each([
  ['/limits/planning', { limits: { planning: 'whole' } }],
  ['/graph', { graph: 'plan_first' }],
  ['/graph', { graph: 'supervised' }],
])('rejects a contradiction at %s', (path, options) => {
  const fault = refusal({ planner: reactive({ model: scriptedModel([]) }), ...options });
  expect(fault).toMatchObject({ code: 'input_invalid', path });
  expect(fault.message).toContain('plans one step at a time');
});

test('rejects a contradiction with a planner that plans the complete work', () => {
  const planner = planFirst({ model: scriptedModel([]) });
  expect(refusal({ planner, graph: 'reactive' })).toMatchObject({ code: 'input_invalid', path: '/graph' });
  expect(refusal({ planner, limits: { planning: 'stepwise' } }).message).toContain('plans all steps at once');
});

test('a declared agent is assembled the same way, and a lower tier rejects the planner', () => {
  const declared = (tier: number): Agent =>
    agent({
      name: 'finder',
      planner: reactive({ model: scriptedModel([]), maxSteps: 7 }),
      tools: [],
      intents: [
        { intent: 'find', description: 'Find it', risk: 'low', criteria: [{ id: 'found', statement: 'It is found.' }] },
      ],
      boundary: 'research',
      settings: { autonomy: tier === 6 ? {} : { tier, needs: ['dynamic_plan'] } },
    });
  const { spec, tools, planner, decisions } = declared(6);
  const { limits, graph } = assembleHere({ agent: spec, tools, planner, decisions }).pins.env;
  expect(limits).toMatchObject({ planning: 'stepwise', reactStepsMax: 7 });
  expect(graph.spec.name).toBe('reactive');
  expect(() => ambit({ agent: declared(5) })).toThrow('the graph reactive needs tier 6');
});

test('accepts matching options, and a lower cap from the host', async () => {
  const bench = reactiveBench([decide('finish')], {
    tools: TOOLS,
    reactive: { maxSteps: 50 },
    options: { graph: 'reactive', limits: { planning: 'stepwise', reactStepsMax: 3 } },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});
