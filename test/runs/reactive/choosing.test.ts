/** Whoever takes the reactive planner has chosen the mode: graph and planning follow, and nothing may contradict it. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { ambit, assemble, planFirst, reactive } from '../../../src/compose.ts';
import { compile } from '../../../src/kernel/graph/compile.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../../src/kernel/guards.ts';
import { Fault } from '../../../src/model/fault.ts';
import { type Agent, agent } from '../../../src/session/declare/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type RigOptions, rig } from '../rig.ts';
import { decide, reactiveBench } from './bench.ts';

const TOOLS = { finish: { produces: ['done'] } };

verifies(
  'route:mode:react-selects-reactive-routing',
  'the planner brings its graph and its planning along',
  async () => {
    const bench = reactiveBench([decide('finish')], { tools: TOOLS });
    const run = await bench.invoke();
    const [state] = (await bench.states(run.runId)).slice(-1);
    expect(state?.manifest?.workflow_graph_version).toBe(compile(STANDARD_GRAPHS.reactive, GUARDS, sha256).hash);
    expect(state?.react.stepCount).toBe(1);
  },
);

function refusal(options: object): Fault {
  try {
    rig({ tools: TOOLS, options: options as RigOptions['options'] & object });
  } catch (error) {
    if (Fault.is(error)) return error;
  }
  throw new Error('nothing was refused');
}

test.each([
  ['/limits/planning', { limits: { planning: 'whole' } }],
  ['/graph', { graph: 'plan_first' }],
  ['/graph', { graph: 'supervised' }],
])('a contradiction at %s is said before anything runs', (path, given) => {
  const fault = refusal({ planner: reactive({ model: scriptedModel([]) }), ...given });
  expect(fault).toMatchObject({ code: 'input_invalid', path });
  expect(fault.message).toContain('decides one step at a time');
});

test('so is one beside a planner that lays out the whole work', () => {
  const planner = planFirst({ model: scriptedModel([]) });
  expect(refusal({ planner, graph: 'reactive' })).toMatchObject({ code: 'input_invalid', path: '/graph' });
  expect(refusal({ planner, limits: { planning: 'stepwise' } }).message).toContain('lays out the whole work at once');
});

test('an agent that declares the planner is put together the same way, and no lower rung takes it', () => {
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
  const { limits, graph } = assemble({ agent: spec, tools, planner, decisions }).pins.env;
  expect(limits).toMatchObject({ planning: 'stepwise', reactStepsMax: 7 });
  expect(graph.spec.name).toBe('reactive');
  expect(() => ambit({ agent: declared(5) })).toThrow('the graph reactive is built for tier 6');
});

test('what agrees is no contradiction, and the host may set a lower bound on steps', async () => {
  const bench = reactiveBench([decide('finish')], {
    tools: TOOLS,
    reactive: { maxSteps: 50 },
    options: { graph: 'reactive', limits: { planning: 'stepwise', reactStepsMax: 3 } },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});
